package dev.quorate.router.coordinator.operation;

import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The members and the owners of each key in one epoch. Immutable: an operation takes the current
 * view when it begins, and its requests are sent and answered in the epoch of that view, or fail
 * with {@link Failure#STALE}.
 *
 * <p>In a joint epoch a key has two groups of owners, those before the change and those after it
 * (decision 0052).
 */
public final class View {

    private static final Failed STALE =
            new Failed(Failure.STALE, "this node is in another epoch now");

    private final LiveTopology live;
    private final Topology topology;
    private final Ring ring;

    /** The ring after the change that is in progress; the same ring if there is none. */
    private final Ring after;

    private final Replica local;
    private final LateReads lateReads;
    private final Map<String, Replica> replicas;

    private View(
            LiveTopology live,
            Topology topology,
            Ring ring,
            Ring after,
            Replica local,
            LateReads lateReads,
            Map<String, Replica> replicas) {
        this.live = live;
        this.topology = topology;
        this.ring = ring;
        this.after = after;
        this.local = local;
        this.lateReads = lateReads;
        this.replicas = replicas;
        for (Member member : topology.members()) {
            if (!replicas.containsKey(member.name())) {
                throw new IllegalArgumentException("no replica for " + member);
            }
        }
    }

    /**
     * @param members the replicas of all members of the topology
     * @param lateReads decides which replicas are slow
     */
    static View of(ClusterReplicas members, LateReads lateReads) {
        Map<String, Replica> replicas = new HashMap<>();
        replicas.put(members.local().name(), members.local());
        for (Replica replica : members.remote()) {
            replicas.put(replica.name(), replica);
        }
        Topology topology = members.topology().current();
        Ring ring = members.ring();
        return new View(
                members.topology(), topology, ring, ring, members.local(), lateReads, replicas);
    }

    /** The view of another epoch. Building a ring takes tens of milliseconds. */
    View in(Topology next) {
        Ring before = ringOf(next.before());
        Ring later = next.isJoint() ? ringOf(next.after()) : before;
        return new View(live, next, before, later, local, lateReads, replicas);
    }

    private Ring ringOf(Topology placement) {
        return ring.topology().placesLike(placement)
                ? ring
                : after.topology().placesLike(placement) ? after : new Ring(placement);
    }

    public Topology topology() {
        return topology;
    }

    /** Whether this node is still in the epoch of this view. */
    public boolean isCurrent() {
        return live.current().fingerprint() == topology.fingerprint();
    }

    /** What a replica's answer counts as: this node's own only in the epoch of this view. */
    public ReplicaAnswer counted(Replica asked, ReplicaAnswer answer) {
        return isCurrent() || !asked.name().equals(local.name()) ? answer : STALE;
    }

    /** All replicas, including this node's. */
    public Collection<Replica> all() {
        return replicas.values();
    }

    /** This node's replica. */
    public Replica local() {
        return local;
    }

    /** This node's index among all members, which no other member has. */
    public int localPlace() {
        return topology.members().indexOf(local.member());
    }

    public Replica of(Member member) {
        return Objects.requireNonNull(replicas.get(member.name()));
    }

    /** See {@link Ring#storedFrom}. */
    public int storedFrom(int from) {
        return ring.storedFrom(from);
    }

    /** See {@link Ring#effectiveFrom}. */
    public int effectiveFrom(int storedFrom) {
        return ring.effectiveFrom(storedFrom);
    }

    /**
     * The owners of a key, in the ring's order; in a joint epoch first those that stay, then those
     * that leave, and then those that gain the key.
     *
     * @param from number of owners before the change, and after it
     */
    public List<Member> members(byte[] key, int from) {
        List<Member> before = ring.replicas(key, from);
        if (after == ring) {
            return before;
        }
        List<Member> later = after.replicas(key, from);
        List<Member> both = new ArrayList<>(before);
        both.retainAll(later);
        for (List<Member> group : List.of(before, later)) {
            group.stream().filter(each -> !both.contains(each)).forEach(both::add);
        }
        return both;
    }

    /** The {@linkplain #members owners} of a key. */
    public Replica[] owners(byte[] key, int from) {
        return members(key, from).stream().map(this::of).toArray(Replica[]::new);
    }

    /** The quorums that an operation needs among the owners of a key, which are in any order. */
    public Electorate electorate(byte[] key, QuorumSpec spec, Replica[] owners) {
        return after == ring
                ? Electorate.of(spec)
                : Electorate.joint(
                        spec,
                        mask(owners, ring.replicas(key, spec.from())),
                        spec,
                        mask(owners, after.replicas(key, spec.from())));
    }

    private static long mask(Replica[] owners, List<Member> group) {
        long mask = 0;
        for (int i = 0; i < owners.length; i++) {
            mask |= group.contains(owners[i].member()) ? 1L << i : 0;
        }
        return mask;
    }

    /** See {@link Ring#everyRangeReaches}. */
    public boolean everyRangeReaches(QuorumSpec spec, Set<String> downMembers) {
        return ring.everyRangeReaches(spec, downMembers)
                && (after == ring || after.everyRangeReaches(spec, downMembers));
    }

    /**
     * The owners of a key, in the order in which they are asked: the local replica, replicas to
     * which an exchange is about to leave anyway, others in ring order, and slow replicas. Peers
     * whose answers are late are asked only if there are not enough others.
     *
     * @param nowNanos in {@code Ticker.nanos} time
     */
    public Replica[] inAskOrder(byte[] key, QuorumSpec spec, long nowNanos) {
        List<Member> members = members(key, spec.from());
        Replica[] ordered = new Replica[members.size()];
        int first = 0;
        int joined = 0;
        int last = ordered.length;
        boolean anyGivenUp = false;
        for (int i = 0; i < ordered.length; i++) {
            Replica replica = of(members.get(i));
            if (replica.name().equals(local.name())) {
                insert(local, ordered, 0, first++);
                joined++;
            } else if (replica.isSlow(nowNanos, lateReads.nanos())) {
                ordered[--last] = replica;
            } else if (replica.isGathering()) {
                insert(replica, ordered, joined++, first++);
            } else {
                ordered[first++] = replica;
            }
            anyGivenUp |= replica.isGivenUp();
        }
        if (anyGivenUp && electorate(key, spec, ordered).isImpossible(givenUp(ordered))) {
            for (int i = 0; i < ordered.length; i++) {
                ordered[i] = ordered[i].evenIfLate();
            }
        }
        return ordered;
    }

    private static long givenUp(Replica[] owners) {
        long mask = 0;
        for (int i = 0; i < owners.length; i++) {
            mask |= owners[i].isGivenUp() ? 1L << i : 0;
        }
        return mask;
    }

    private static void insert(Replica replica, Replica[] ordered, int index, int end) {
        System.arraycopy(ordered, index, ordered, index + 1, end - index);
        ordered[index] = replica;
    }
}
