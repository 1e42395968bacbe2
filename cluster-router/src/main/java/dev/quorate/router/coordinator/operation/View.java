package dev.quorate.router.coordinator.operation;

import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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

    private final ClusterReplicas cluster;
    private final Placement placement;
    private final LateReads lateReads;
    private final Map<String, Replica> replicas = new HashMap<>();

    /**
     * @param lateReads decides which replicas are slow
     * @throws IllegalArgumentException if a member has no replica
     */
    View(ClusterReplicas cluster, Placement placement, LateReads lateReads) {
        this.cluster = cluster;
        this.placement = placement;
        this.lateReads = lateReads;
        replicas.put(cluster.local().name(), cluster.local());
        for (Replica replica : cluster.remote().get()) {
            replicas.put(replica.name(), replica);
        }
        for (Member member : topology().members()) {
            if (!replicas.containsKey(member.name())) {
                throw new IllegalArgumentException("no replica for " + member);
            }
        }
    }

    /** The view of another epoch. */
    View in(Topology next) {
        return new View(cluster, placement.in(next), lateReads);
    }

    public Placement placement() {
        return placement;
    }

    public Topology topology() {
        return placement.topology();
    }

    /** Whether this node is still in the epoch of this view. */
    public boolean isCurrent() {
        return cluster.topology().current().fingerprint() == topology().fingerprint();
    }

    /** What a replica's answer counts as: this node's own only in the epoch of this view. */
    public ReplicaAnswer counted(Replica asked, ReplicaAnswer answer) {
        return isCurrent() || !asked.name().equals(local().name()) ? answer : STALE;
    }

    /** All replicas, including this node's. */
    public Collection<Replica> all() {
        return replicas.values();
    }

    /** This node's replica. */
    public Replica local() {
        return cluster.local();
    }

    public Replica of(Member member) {
        return Objects.requireNonNull(replicas.get(member.name()));
    }

    /** See {@link Placement#owners}. */
    public Replica[] owners(byte[] key, QuorumSpec spec) {
        return placement.owners(key, spec).stream().map(this::of).toArray(Replica[]::new);
    }

    /** The quorums that an operation needs among the owners of a key, which are in any order. */
    public Electorate electorate(byte[] key, QuorumSpec spec, Replica[] owners) {
        QuorumSpec before = placement.specIn(placement.before(), spec);
        if (!placement.isJoint()) {
            return Electorate.of(before);
        }
        QuorumSpec after = placement.specIn(placement.after(), spec);
        return Electorate.joint(
                before,
                mask(owners, placement.before().replicas(key, before.from())),
                after,
                mask(owners, placement.after().replicas(key, after.from())));
    }

    private static long mask(Replica[] owners, List<Member> group) {
        long mask = 0;
        for (int i = 0; i < owners.length; i++) {
            mask |= group.contains(owners[i].member()) ? 1L << i : 0;
        }
        return mask;
    }

    /**
     * The owners of a key, in the order in which they are asked: the local replica, replicas to
     * which an exchange is about to leave anyway, others in ring order, and slow replicas. Peers
     * whose answers are late are asked only if there are not enough others.
     *
     * @param lane in which they are asked
     * @param nowNanos in {@code Ticker.nanos} time
     */
    public Replica[] inAskOrder(byte[] key, QuorumSpec spec, Lane lane, long nowNanos) {
        List<Member> members = placement.owners(key, spec);
        Replica[] ordered = new Replica[members.size()];
        Replica local = local();
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
            } else if (replica.isJoinable(lane)) {
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
