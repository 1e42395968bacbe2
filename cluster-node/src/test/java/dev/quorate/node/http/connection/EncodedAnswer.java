package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.connection.ResponseEncoder.Framing;
import dev.quorate.node.http.connection.ResponseEncoder.Persistence;
import java.nio.charset.StandardCharsets;

/** An answer as it is sent. */
public final class EncodedAnswer {

    private EncodedAnswer() {}

    /** The bytes of an answer on a connection that goes on, each as a character. */
    public static String text(HttpResponse response) {
        byte[] bytes = ResponseEncoder.encode(response, Framing.LENGTH, Persistence.STAYS, true);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
