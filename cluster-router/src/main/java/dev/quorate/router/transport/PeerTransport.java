package dev.quorate.router.transport;

import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** The links to all other nodes of the cluster (decision 0005). */
public final class PeerTransport implements AutoCloseable {

    /** For this long the exchanges to an address before are awaited. */
    private static final Duration MOVED = Duration.ofMinutes(1);

    /** The period of sweeps while nothing of clients is in flight. */
    private static final Duration IDLE_PERIOD = Duration.ofMillis(100);

    /** Maximum of the factor by which a peer may be silent for longer among many members. */
    private static final int MOST_QUIET = 5;

    private final TransportOptions options;
    private final Function<Member, Peer> newPeer;
    private final Function<Member, PeerLink> links;
    private final Identity identity;
    private final Scheduler scheduler;
    private volatile List<Peer> peers;

    /** Peers that are no members any more, until their last operation has ended. */
    private final List<Peer> gone = new CopyOnWriteArrayList<>();

    private volatile boolean started;
    private volatile Scheduler.Cancellable sweeps = () -> {};

    /**
     * Creates the peers; nothing is sent before {@link #start}.
     *
     * @param at the topology with the members and addresses to begin with
     * @param links creates the link to each peer
     * @param largeValues the budget for large answers in transit; answers beyond it fail as
     *     overloaded
     */
    public PeerTransport(
            Identity identity,
            Topology at,
            Function<Member, PeerLink> links,
            TransportOptions options,
            NodeRuntime runtime,
            ByteBudget largeValues) {
        this.identity = identity;
        this.options = options;
        this.scheduler = runtime.scheduler();
        this.links = links;
        this.newPeer =
                member ->
                        new Peer(
                                member,
                                links.apply(member),
                                identity,
                                options,
                                runtime,
                                largeValues);
        this.peers = others(at).map(newPeer).toList();
    }

    private Stream<Member> others(Topology topology) {
        return topology.members().stream()
                .filter(member -> member.number() != identity.self().number());
    }

    /** Connects to the peers, and starts checking deadlines. */
    public void start() {
        started = true;
        sweeps = scheduler.repeatedly(this::sweep, Deadlines.PERIOD, IDLE_PERIOD);
        peers.forEach(Peer::start);
    }

    /** Checks deadlines; often while a peer is asked or down, so that an idle node sleeps. */
    private boolean sweep() {
        boolean isBusy = !gone.isEmpty();
        long quietNanos = quietNanos();
        for (Peer each : peers) {
            isBusy |= each.sweep(quietNanos);
        }
        gone.forEach(each -> each.sweep(quietNanos));
        gone.removeIf(PeerTransport::isOver);
        return isBusy;
    }

    /** Longer among many members: their probes are most of what an idle cluster does. */
    private long quietNanos() {
        return options.quiet().toNanos() * Math.clamp(peers.size() / 2, 1, MOST_QUIET);
    }

    private static boolean isOver(Peer left) {
        PeerHealth health = left.health();
        return !health.asked() && health.outstandingOperations() == 0;
    }

    /** Reaches the members of a topology, at their addresses in it, from now on. */
    public synchronized void moveTo(Topology at) {
        List<Peer> before = peers;
        peers = others(at).map(this::peer).toList();
        for (Peer each : before) {
            if (!peers.contains(each)) {
                gone.add(each);
                var _ = scheduler.after(MOVED, each::close);
            }
        }
    }

    /** The peer of a member: the one that it has, at its address now, or a new one. */
    private Peer peer(Member member) {
        for (Peer peer : peers) {
            if (peer.member().equals(member)) {
                if (!member.url().equals(peer.member().url())) {
                    PeerLink next = links.apply(member);
                    peer.move(
                            member,
                            before ->
                                    new MovedLink(
                                            MovedLink.inUse(before),
                                            next,
                                            left -> scheduler.after(MOVED, left::close)));
                }
                return peer;
            }
        }
        Peer added = newPeer.apply(member);
        if (started) {
            added.start();
        }
        return added;
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
        started = false;
        sweeps.cancel();
        peers.forEach(Peer::close);
    }

    /**
     * The link to a peer that moves. The members agree on the new address before the peer serves
     * there, so this link uses the old address until an exchange fails.
     */
    static final class MovedLink implements PeerLink {

        private final PeerLink before;
        private final PeerLink next;
        private final Consumer<PeerLink> whenLeft;
        private final AtomicBoolean hasLeft = new AtomicBoolean();

        /**
         * Creates the link. If the peer moves again, pass the link that is {@link #inUse}.
         *
         * @param whenLeft receives the first link once it is no longer used; its exchanges may
         *     still be in flight
         */
        MovedLink(PeerLink before, PeerLink next, Consumer<PeerLink> whenLeft) {
            this.before = before;
            this.next = next;
            this.whenLeft = whenLeft;
        }

        /** The link that a link uses now. Closes the other one, if it is not used yet. */
        static PeerLink inUse(PeerLink link) {
            if (!(link instanceof MovedLink moved)) {
                return link;
            }
            if (moved.hasLeft.compareAndSet(false, true)) {
                moved.next.close();
                return moved.before;
            }
            return moved.next;
        }

        @Override
        public Sent send(Message message, Receiver receiver) {
            return (hasLeft.get() ? next : before).send(message, receiver);
        }

        @Override
        public void seek(Runnable found) {
            if (hasLeft.compareAndSet(false, true)) {
                whenLeft.accept(before);
            }
            next.seek(found);
        }

        @Override
        public void close() {
            before.close();
            next.close();
        }
    }
}
