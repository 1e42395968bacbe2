package dev.quorate.node;

import dev.quorate.node.http.HttpHandler;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.PeerLink;
import dev.quorate.storage.io.StorageFiles;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The seams between a node and its machine that a test can replace; threads and sockets are real in
 * any case. A process uses {@link ClusterNode#machine}.
 *
 * @param files its disk
 * @param ticker its clocks
 * @param timers wraps its timers
 * @param links wraps its connections to peers
 * @param doors wraps the handlers of requests of clients and peers
 * @param rings the ring of a topology. Immutable and costs milliseconds, so nodes of one process
 *     and one topology may share it
 * @param peerSelectors threads that serve connections of peers
 */
public record NodeSurroundings(
        StorageFiles files,
        Ticker ticker,
        UnaryOperator<Scheduler> timers,
        BiFunction<Member, PeerLink, PeerLink> links,
        UnaryOperator<HttpHandler> doors,
        Function<Topology, Ring> rings,
        int peerSelectors) {}
