package dev.quorate.router.coordinator.operation;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.Member;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Finds the replicas of a key. */
public final class ReplicaLookup {

    private final Ring ring;
    private final Replica local;
    private final LateReads lateReads;
    private final Map<String, Replica> replicas = new HashMap<>();

    /**
     * @param members the replicas of all members of the topology
     * @param lateReads decides which replicas are slow
     */
    public ReplicaLookup(ClusterReplicas members, LateReads lateReads) {
        this.ring = members.ring();
        this.local = members.local();
        this.lateReads = lateReads;
        replicas.put(local.name(), local);
        for (Replica replica : members.remote()) {
            replicas.put(replica.name(), replica);
        }
        for (Member member : ring.topology().members()) {
            if (!replicas.containsKey(member.name())) {
                throw new IllegalArgumentException("no replica for " + member);
            }
        }
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
        return ring.topology().members().indexOf(local.member());
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

    /** The first {@code from} replicas of a key, in the ring's order. */
    public Replica[] owners(byte[] key, int from) {
        return ring.replicas(key, from).stream().map(this::of).toArray(Replica[]::new);
    }

    /**
     * The replicas of a key, in the order in which they are asked: the local replica, replicas to
     * which an exchange is about to leave anyway, others in ring order, and slow replicas. Peers
     * whose answers are late are asked only if there are not enough others.
     *
     * @param nowNanos in {@code Ticker.nanos} time
     */
    public Replica[] inAskOrder(byte[] key, QuorumSpec spec, long nowNanos) {
        List<Member> members = ring.replicas(key, spec.from());
        Replica[] ordered = new Replica[members.size()];
        int first = 0;
        int joined = 0;
        int last = ordered.length;
        int givenUp = 0;
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
            givenUp += replica.isGivenUp() ? 1 : 0;
        }
        if (ordered.length - givenUp < spec.ack()) {
            for (int i = 0; i < ordered.length; i++) {
                ordered[i] = ordered[i].evenIfLate();
            }
        }
        return ordered;
    }

    private static void insert(Replica replica, Replica[] ordered, int index, int end) {
        System.arraycopy(ordered, index, ordered, index + 1, end - index);
        ordered[index] = replica;
    }
}
