package dev.quorate.node.http;

import org.jspecify.annotations.Nullable;

/** The head of a request, before its body. Readable until the call returns that it is given to. */
public interface HttpHead extends HttpHeaders {

    String method();

    /** Whether the client waits for a sign before it sends the body. */
    boolean expectsContinue();

    /** Of the target, as it came. */
    String path();

    /** Of the target, as it came; null without one. */
    @Nullable String query();
}
