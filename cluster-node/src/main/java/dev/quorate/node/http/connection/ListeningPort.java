package dev.quorate.node.http.connection;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * The address at which a listener listens, and the threads that serve it.
 *
 * @param host the address to listen at; {@code 0.0.0.0} or {@code ::} for all
 * @param port 0 for any free port
 * @param selectors threads that serve connections, at least 1; as many as cores is a good start
 * @param name the port's name, with which the names of its threads begin
 * @param engines supplies each connection with an engine in server mode; null without TLS
 * @param mayAccept whether one more connection may be accepted now, which then counts
 */
public record ListeningPort(
        String host,
        int port,
        int selectors,
        String name,
        @Nullable Supplier<SSLEngine> engines,
        BooleanSupplier mayAccept) {}
