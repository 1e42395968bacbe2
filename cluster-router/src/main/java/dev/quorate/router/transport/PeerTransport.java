package dev.quorate.router.transport;

import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.topology.Member;
import java.util.List;
import java.util.function.Function;

/** The links to all other nodes of the cluster (decision 0005). */
public final class PeerTransport implements AutoCloseable {

    private final List<Peer> peers;
    private final Scheduler scheduler;
    private volatile Scheduler.Cancellable sweeps = () -> {};

    /**
     * Creates the peers; nothing is sent before {@link #start}.
     *
     * @param links creates the link to each peer
     * @param largeValues the budget for large answers in transit; answers beyond it fail as
     *     overloaded
     */
    public PeerTransport(
            Identity identity,
            Function<Member, PeerLink> links,
            TransportOptions options,
            NodeRuntime runtime,
            ByteBudget largeValues) {
        this.scheduler = runtime.scheduler();
        this.peers =
                identity.topology().members().stream()
                        .filter(member -> !member.equals(identity.self()))
                        .map(
                                member ->
                                        new Peer(
                                                member,
                                                links.apply(member),
                                                identity,
                                                options,
                                                runtime,
                                                largeValues))
                        .toList();
    }

    /** Connects to the peers, and starts checking deadlines. */
    public void start() {
        sweeps = scheduler.every(Deadlines.PERIOD, () -> peers.forEach(Peer::sweep));
        peers.forEach(Peer::start);
    }

    /** All members of the topology except this node. */
    public List<Peer> peers() {
        return peers;
    }

    /**
     * Notes that this node has received an exchange from a member. A peer whose breaker is open is
     * probed at once: a starting node contacts the others, so they consider it up before its first
     * client connects, however long they have backed off.
     *
     * @param memberNumber the sender's {@link Member#number}
     */
    public void onMessageFrom(int memberNumber) {
        for (Peer peer : peers) {
            if (peer.member().number() == memberNumber) {
                peer.onMessage();
            }
        }
    }

    /** Probes the peers that are considered down. */
    public void probeAll() {
        peers.forEach(Peer::onMessage);
    }

    /** The current health of each peer, as this node sees it. */
    public List<PeerHealth> health() {
        return peers.stream().map(Peer::health).toList();
    }

    /** Cancels every exchange; later requests fail. */
    @Override
    public void close() {
        sweeps.cancel();
        peers.forEach(Peer::close);
    }
}
