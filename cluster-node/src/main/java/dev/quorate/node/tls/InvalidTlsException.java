package dev.quorate.node.tls;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A certificate or a key that cannot be used; the message continues after its setting's name. */
public final class InvalidTlsException extends IOException {

    InvalidTlsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
