package dev.quorate.node;

import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.runtime.Scheduler;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.node.transport.PeerLink;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.io.StorageFiles;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * What lies between a real node and its machine, where a test may stand: the node has threads and
 * sockets of its own all the same. {@link ClusterNode#machine} is what a process has, with nothing
 * in between.
 *
 * @param files its disk
 * @param ticker its clocks
 * @param timers what its timers are seen through
 * @param links what the way to a peer is seen through
 * @param doors what the requests of clients and peers come in through, and their answers go out
 * @param selectors who holds which key in a topology. Immutable, and takes milliseconds to make, so
 *     nodes of one process and one topology may be given the same
 */
public record NodeSurroundings(
        StorageFiles files,
        Ticker ticker,
        UnaryOperator<Scheduler> timers,
        BiFunction<Member, PeerLink, PeerLink> links,
        UnaryOperator<HttpHandler> doors,
        Function<Topology, ReplicaSelector> selectors) {}
