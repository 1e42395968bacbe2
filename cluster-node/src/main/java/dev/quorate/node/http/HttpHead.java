package dev.quorate.node.http;

import org.jspecify.annotations.Nullable;

/** The head of a request, before its body. Valid until the call that receives it returns. */
public interface HttpHead extends HttpHeaders {

    String method();

    /** Whether the client waits for 100 (Continue) before it sends the body. */
    boolean expectsContinue();

    /** The path of the target, still percent-encoded. */
    String path();

    /** The query of the target, still percent-encoded; null without one. */
    @Nullable String query();
}
