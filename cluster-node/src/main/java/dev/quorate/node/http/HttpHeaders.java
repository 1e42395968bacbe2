package dev.quorate.node.http;

import org.jspecify.annotations.Nullable;

/** A request's headers. */
public interface HttpHeaders {

    /** The value of the only header of this name (lower case), trimmed; null if there is none. */
    @Nullable String first(String lowerCaseName);
}
