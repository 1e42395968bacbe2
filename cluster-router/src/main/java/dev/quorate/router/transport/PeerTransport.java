package dev.quorate.router.transport;

import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.topology.Member;
import java.util.List;
import java.util.function.Function;

/** The links to all other nodes of the cluster. For the reasons see docs/decisions/0005. */
public final class PeerTransport implements AutoCloseable {

    private final List<Peer> peers;
    private final Scheduler scheduler;
    private volatile Scheduler.Cancellable sweeps = () -> {};

    /**
     * Creates the peers; nothing is sent before {@link #start}.
     *
     * @param links creates the link to each peer
     * @param largeValues the budget for large answers in transit; those beyond it fail as
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

    /** Connects to the peers, and starts to check deadlines. */
    public void start() {
        sweeps = scheduler.every(Deadlines.PERIOD, () -> peers.forEach(Peer::sweep));
        peers.forEach(Peer::start);
    }

    /** Every member of the topology but this node. */
    public List<Peer> peers() {
        return peers;
    }

    /**
     * Notes that an exchange of a member has arrived at this node's door. A peer whose breaker is
     * open is probed at once: a node that starts contacts the others, and so is up for them before
     * its first client, however long they have backed off.
     *
     * @param memberNumber the sender's {@link Member#number}
     */
    public void heardFrom(int memberNumber) {
        for (Peer peer : peers) {
            if (peer.member().number() == memberNumber) {
                peer.heard();
            }
        }
    }

    /** Each peer, as this node sees it now. */
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
