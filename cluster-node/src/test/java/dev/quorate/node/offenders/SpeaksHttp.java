package dev.quorate.node.offenders;

import java.net.http.HttpClient;

/** Breaks a rule on purpose. */
public interface SpeaksHttp {
    HttpClient client();
}
