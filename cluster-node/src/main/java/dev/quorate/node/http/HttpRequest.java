package dev.quorate.node.http;

import org.jspecify.annotations.Nullable;

/**
 * A complete, parsed request; nothing is decoded yet.
 *
 * @param method the method's name, as sent
 * @param path the request target before {@code ?}, still percent-encoded
 * @param query the text after {@code ?}, still percent-encoded; null without one
 * @param headers the headers
 * @param body the whole body; empty without one. Not copied; owned by the handler
 */
public record HttpRequest(
        String method, String path, @Nullable String query, HttpHeaders headers, byte[] body) {}
