package dev.quorate.node;

import dev.quorate.node.api.ClientApi;
import dev.quorate.node.config.NodeOption;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.http.budget.ConnectionLimits;
import dev.quorate.node.http.budget.Descriptors;
import dev.quorate.node.http.budget.HttpDeadlines;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.ListeningPort;
import dev.quorate.node.tls.TlsContext;
import dev.quorate.router.runtime.HeapFootprint;
import dev.quorate.router.transport.TransportOptions;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node's two ports, and its budgets for values, according to its options.
 *
 * @param tls null if the node serves without TLS
 */
record PortSettings(
        NodeOptions options, @Nullable Supplier<TlsContext> tls, Descriptors descriptors) {

    /** More than enough: each peer opens a few connections, one for each lane. */
    private static final int MAX_PEER_CONNECTIONS = 1_024;

    /** Maximum number of unauthenticated connections of peers. */
    private static final int MAX_STRANGERS = 128;

    /** Maximum time for a peer's authentication. */
    private static final Duration PROVING_TIME = Duration.ofSeconds(2);

    /** Maximum number of clients' TLS handshakes. Each takes some 20 KiB of the heap once begun. */
    private static final int MAX_HANDSHAKES = 1_024;

    // A peer's head is short. Unauthenticated connections together must not use the whole budget
    // for heads.
    private static final int MAX_PEER_TARGET_BYTES = 256;
    private static final int MAX_PEER_HEADER_BYTES = 2_048;

    /**
     * Longer than the client side retains an idle connection, so that the server closes none in
     * use.
     */
    private static final Duration PEER_IDLE = Duration.ofMinutes(10);

    ListeningPort peerPort(int selectors) {
        Supplier<TlsContext> contexts = tls;
        return new ListeningPort(
                options.get(NodeOption.HOST),
                options.peerPort(),
                selectors,
                "peers",
                contexts == null ? null : () -> contexts.get().forPeer(),
                descriptors::takeForPeer);
    }

    HttpLimits peerLimits() {
        int maxBodyBytes =
                TransportOptions.maxRequestBytes(options.maxValueBytes(), ClientApi.MAX_KEY_BYTES);
        return HttpLimits.defaults()
                .withHeads(MAX_PEER_TARGET_BYTES, MAX_PEER_HEADER_BYTES)
                .withMaxBodyBytes(maxBodyBytes)
                .withConnections(
                        ConnectionLimits.ofProven(
                                MAX_PEER_CONNECTIONS, MAX_STRANGERS, PROVING_TIME))
                .withBudgets(bodyBytes(maxBodyBytes), maxAnswerBytes())
                .withDeadlines(deadlines(PEER_IDLE));
    }

    ListeningPort clientPort() {
        Supplier<TlsContext> contexts = tls;
        return new ListeningPort(
                options.get(NodeOption.HOST),
                options.get(NodeOption.PORT),
                options.get(NodeOption.SELECTORS),
                "clients",
                contexts == null ? null : () -> contexts.get().forClient(),
                descriptors::takeForClient);
    }

    HttpLimits clientLimits() {
        int most = options.get(NodeOption.MAX_CONNECTIONS);
        int mostOfAddress = options.get(NodeOption.MAX_CONNECTIONS_PER_ADDRESS);
        return HttpLimits.defaults()
                .withMaxBodyBytes(options.maxValueBytes())
                .withConnections(
                        tls == null
                                ? ConnectionLimits.withoutAuthentication(most, mostOfAddress)
                                : ConnectionLimits.ofTls(
                                        most, mostOfAddress, MAX_HANDSHAKES, Duration.ofSeconds(5)))
                .withBudgets(bodyBytes(options.maxValueBytes()), largeValueBytes())
                .withDeadlines(deadlines(HttpDeadlines.USUAL_IDLE));
    }

    private HttpDeadlines deadlines(Duration idle) {
        return new HttpDeadlines(idle, options.get(NodeOption.REQUEST_TIMEOUT));
    }

    /** Budget for bodies: at least the heap footprint of the longest one. */
    private long bodyBytes(long maxBodyBytes) {
        return Math.max(
                options.get(NodeOption.MAX_BODY_BYTES_IN_FLIGHT),
                HeapFootprint.ofArray(maxBodyBytes));
    }

    /** Budget for large values: 3/8 of the heap, but at least a read of three replicas. */
    long largeValueBytes() {
        long three = 3L * (options.maxValueBytes() + (64 << 10));
        return Math.max(Runtime.getRuntime().maxMemory() / 8 * 3, three);
    }

    /** Budget for small values in reads, which large values cannot use. */
    static long smallValueBytes() {
        return Math.max(Runtime.getRuntime().maxMemory() / 32, 1L << 20);
    }

    /** Budget for answers, half that of bodies: they are in memory only until they are sent. */
    private long maxAnswerBytes() {
        return Math.max(
                options.get(NodeOption.MAX_BODY_BYTES_IN_FLIGHT) / 2,
                options.maxValueBytes() + (1L << 20));
    }
}
