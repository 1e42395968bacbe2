package dev.quorate.router.ring;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The owners of each key in one epoch. In a joint epoch a key has two groups of owners, those
 * before the change and those after it (decision 0052). Immutable.
 */
public final class Placement {

    private final Topology topology;
    private final Ring before;

    /** The ring after the change that is in progress; the same object if there is none. */
    private final Ring after;

    private @Nullable Map<Member, Set<Member>> gains;
    private boolean isLostOnce;

    private Placement(Topology topology, Ring before, Ring after) {
        this.topology = topology;
        this.before = before;
        this.after = after;
    }

    /**
     * The placement of a topology.
     *
     * @param ring used if it places keys like the topology
     */
    public static Placement of(Topology topology, Ring ring) {
        return new Placement(topology, ring, ring).in(topology);
    }

    /** The placement of another epoch. Building a ring takes tens of milliseconds. */
    public Placement in(Topology next) {
        Ring first = ringOf(next.before());
        return new Placement(next, first, next.isJoint() ? ringOf(next.after()) : first);
    }

    private Ring ringOf(Topology placed) {
        return before.topology().placesLike(placed)
                ? before
                : after.topology().placesLike(placed) ? after : new Ring(placed);
    }

    public Topology topology() {
        return topology;
    }

    /** The ring before the change that is in progress, or the only one. */
    public Ring before() {
        return before;
    }

    /** The ring after the change that is in progress, or the only one. */
    public Ring after() {
        return after;
    }

    /** Whether keys have two groups of owners. */
    public boolean isJoint() {
        return after != before;
    }

    /**
     * The owners of a key, in the ring's order; in a joint epoch first those that stay, then those
     * that leave, and then those that gain the key.
     *
     * @param spec with the number of owners before the change, and after it
     */
    public List<Member> owners(byte[] key, QuorumSpec spec) {
        List<Member> first = before.replicas(key, specIn(before, spec).from());
        return after == before
                ? first
                : union(first, after.replicas(key, specIn(after, spec).from()));
    }

    /**
     * The quorum in one of the rings: of the replication factor there if it is that before the
     * change, and of all members if there are fewer, since an operation may outlast some.
     */
    public QuorumSpec specIn(Ring ring, QuorumSpec spec) {
        int factor = ring.topology().replicationFactor();
        if (storedFrom(spec) == 0) {
            return spec.from() == factor ? spec : spec.withFactor(factor);
        }
        int members = ring.topology().size();
        return spec.from() <= members
                ? spec
                : new QuorumSpec(Math.min(spec.ack(), members), members);
    }

    /**
     * The owners of an entry or a record, in the order of {@link #owners}.
     *
     * @param storedFrom as in the entry; each ring has its own {@link Ring#effectiveFrom}
     */
    public List<Member> ownersOf(byte[] key, int storedFrom) {
        List<Member> first = ownersIn(before, key, storedFrom);
        return after == before ? first : union(first, ownersIn(after, key, storedFrom));
    }

    private static List<Member> ownersIn(Ring ring, byte[] key, int storedFrom) {
        return ring.replicas(key, ring.effectiveFrom(storedFrom));
    }

    /** All members, in the order of {@link #owners}. */
    public List<Member> inOrder(byte[] key) {
        return union(
                before.replicas(key, before.topology().size()),
                after.replicas(key, after.topology().size()));
    }

    private static List<Member> union(List<Member> first, List<Member> later) {
        List<Member> both = new ArrayList<>(first);
        both.retainAll(later);
        for (List<Member> group : List.of(first, later)) {
            group.stream().filter(each -> !both.contains(each)).forEach(both::add);
        }
        return both;
    }

    /**
     * The members that gain keys in the change that is in progress, each with the members that lose
     * some of these keys. If the replication factor changes, or if any other owner may have what a
     * lost member had acknowledged, each member counts as one that gains keys from all others that
     * are not lost. If fewer members are left, entries with more owners than these move from those
     * that leave to all. The first call walks both rings.
     */
    public synchronized Map<Member, Set<Member>> gains() {
        if (gains == null) {
            gains = isJoint() ? findGains() : Map.of();
        }
        return gains;
    }

    /**
     * Whether each key that is gained has one owner that loses it, so that a complete copy of what
     * that owner has replaces a comparison.
     */
    public synchronized boolean isLostOnce() {
        return !gains().isEmpty() && isLostOnce;
    }

    /** How many members lose keys for each that gains some, at most 1; 1 without a change. */
    public double losersForEachGainer() {
        Map<Member, Set<Member>> found = gains();
        long losers = found.values().stream().flatMap(Set::stream).distinct().count();
        return found.isEmpty() ? 1 : Math.min(1, (double) losers / found.size());
    }

    private Map<Member, Set<Member>> findGains() {
        Map<Member, Set<Member>> found = new HashMap<>();
        List<Member> old = before.topology().members();
        Set<Member> lost = new HashSet<>(topology.members());
        lost.removeIf(each -> each.part() != Member.Part.LOST);
        if (after.topology().replicationFactor() != before.topology().replicationFactor()
                || !lost.isEmpty()) {
            for (Member each : after.topology().members()) {
                Set<Member> others = new HashSet<>(old);
                others.remove(each);
                others.removeAll(lost);
                if (!others.isEmpty()) {
                    found.put(each, others);
                }
            }
            return found;
        }
        List<Member> next = after.topology().members();
        Set<Member> gone = new HashSet<>(old);
        next.forEach(gone::remove);
        if (next.size() < old.size()) {
            next.forEach(each -> found.put(each, new HashSet<>(gone)));
        }
        int from = Math.min(Math.min(old.size(), next.size()), QuorumSpec.MAX_FROM);
        isLostOnce = gone.size() <= 1;
        for (long token : tokens()) {
            isLostOnce &=
                    addGains(before.replicas(token, from), after.replicas(token, from), found);
        }
        return found;
    }

    /** The tokens of the points of both rings, in their order on the circle. */
    private long[] tokens() {
        return Stream.of(before, after)
                .flatMapToLong(
                        ring -> IntStream.range(0, ring.pointCount()).mapToLong(ring::tokenOf))
                .sorted()
                .distinct()
                .toArray();
    }

    /**
     * The fraction of all keys that each member gains, by the member that sends it; of the keys
     * with as many owners as the replication factor. Walks both rings.
     */
    public Map<Member, Map<Member, Double>> moves() {
        Map<Member, Map<Member, Double>> moves = new LinkedHashMap<>();
        int copies = before.topology().replicationFactor();
        int copiesAfter = after.topology().replicationFactor();
        long[] tokens = isJoint() ? tokens() : new long[0];
        long previous = tokens.length == 0 ? 0 : tokens[tokens.length - 1];
        for (long token : tokens) {
            double fraction = Ring.fraction(token - previous);
            List<Member> owners = before.replicas(token, copies);
            List<Member> next = after.replicas(token, copiesAfter);
            Member source = sender(owners, next, this::isLeft);
            for (Member owner : next) {
                if (!owners.contains(owner)) {
                    moves.computeIfAbsent(owner, _ -> new LinkedHashMap<>())
                            .merge(
                                    source == null ? owners.getFirst() : source,
                                    fraction,
                                    Double::sum);
                }
            }
            previous = token;
        }
        return moves;
    }

    /**
     * The member that sends a key to those that gain it: an owner that loses it, or else one that
     * keeps it.
     *
     * @param canSend which members can
     * @return null if none can
     */
    public static @Nullable Member sender(
            List<Member> before, List<Member> after, Predicate<Member> canSend) {
        Member first = null;
        for (Member owner : before) {
            if (canSend.test(owner)) {
                if (!after.contains(owner)) {
                    return owner;
                }
                first = first == null ? owner : first;
            }
        }
        return first;
    }

    /** Whether an owner of before is not lost. */
    private boolean isLeft(Member owner) {
        Member now = topology.member(owner.name());
        return now != null && now.part() != Member.Part.LOST;
    }

    /**
     * Adds who gains keys from whom, for each number of owners.
     *
     * @return whether at most one member loses them
     */
    private static boolean addGains(
            List<Member> old, List<Member> next, Map<Member, Set<Member>> gains) {
        Set<Member> losing = new HashSet<>();
        Set<Member> gaining = new HashSet<>();
        boolean isOne = true;
        for (int i = 0; i < old.size(); i++) {
            Member owned = old.get(i);
            Member owns = next.get(i);
            if (!owned.equals(owns)) {
                if (!gaining.remove(owned)) {
                    losing.add(owned);
                }
                if (!losing.remove(owns)) {
                    gaining.add(owns);
                }
            }
            for (Member gainer : gaining) {
                gains.computeIfAbsent(gainer, none -> new HashSet<>()).addAll(losing);
            }
            isOne &= losing.size() <= 1;
        }
        return isOne;
    }

    /**
     * The {@code from} to store with an entry or a record: 0 for the replication factor, whether
     * the client named it or not, so that stored entries follow a changed replication factor.
     */
    public int storedFrom(QuorumSpec spec) {
        int factor = before.topology().replicationFactor();
        return spec.isDefault() || spec.from() == factor ? 0 : spec.from();
    }

    /** See {@link Ring#effectiveFrom}. */
    public int effectiveFrom(int storedFrom) {
        return before.effectiveFrom(storedFrom);
    }

    /** See {@link Ring#everyRangeReaches}. */
    public boolean everyRangeReaches(QuorumSpec spec, Set<String> downMembers) {
        return before.everyRangeReaches(specIn(before, spec), downMembers)
                && (after == before || after.everyRangeReaches(specIn(after, spec), downMembers));
    }

    /** See {@link Ring#coOwners}. */
    public List<Member> coOwners(Member member) {
        Set<Member> owners = new LinkedHashSet<>();
        for (Ring ring : List.of(before, after)) {
            if (ring.topology().members().contains(member)) {
                owners.addAll(ring.coOwners(member));
            }
        }
        return List.copyOf(owners);
    }
}
