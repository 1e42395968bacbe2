package dev.quorate.node.http;

import org.jspecify.annotations.Nullable;

/**
 * A request's headers. They are read from the request's bytes, which is possible only until {@link
 * HttpHandler#handle} returns; later calls throw {@link IllegalStateException}.
 */
public interface HttpHeaders {

    /** The value of the first header of this name (lower case), trimmed; null if there is none. */
    @Nullable String first(String lowerCaseName);

    /** The same, readable after the handler has returned. */
    default HttpHeaders copy() {
        return this;
    }

    /** Whether there may be headers that change the meaning of a request: a shortcut. */
    default boolean mayChangeMeaning() {
        return true;
    }

    /** Whether there is a header with this prefix (lower case) other than the known one. */
    default boolean hasOther(String lowerCasePrefix, String lowerCaseKnown) {
        return false;
    }

    default boolean isRepeated(String lowerCaseName) {
        return false;
    }
}
