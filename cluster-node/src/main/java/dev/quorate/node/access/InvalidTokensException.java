package dev.quorate.node.access;

import java.io.IOException;

/** A token, or a file of tokens, that is not valid; the message contains no secret. */
public final class InvalidTokensException extends IOException {

    InvalidTokensException(String message) {
        super(message);
    }
}
