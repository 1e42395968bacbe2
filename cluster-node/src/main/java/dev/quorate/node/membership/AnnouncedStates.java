package dev.quorate.node.membership;

import static java.util.stream.Collectors.joining;

import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberState.PeerView;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The states that the other members have announced last.
 *
 * <p>Its lock guards every field that changes; nothing that locks is called under it, so it may be
 * taken under that of {@link Membership}.
 */
public final class AnnouncedStates {

    private final LiveTopology topology;
    private final Member self;

    private final Map<Integer, MemberState> states = new HashMap<>();

    /** Members that had data in an earlier life, and are empty in their current one. */
    private final Set<Integer> lostTheirDisk = new HashSet<>();

    private final List<BiConsumer<Integer, MemberState>> listeners = new CopyOnWriteArrayList<>();

    /** Members that must be new, this one included, before this one founds the cluster. */
    private int newNeeded;

    AnnouncedStates(LiveTopology topology, Member self) {
        this.topology = topology;
        this.self = self;
        this.newNeeded = topology.current().size();
    }

    synchronized void put(int member, MemberState theirs) {
        MemberState before = states.put(member, theirs);
        if (before != null
                && before.life() != theirs.life()
                && theirs.condition() == Condition.EMPTY) {
            lostTheirDisk.add(member);
        }
    }

    /**
     * Adds a listener, called after those added before, without a lock, with the number and the
     * state of another member that has sent it.
     */
    void whenHeard(BiConsumer<Integer, MemberState> listener) {
        listeners.add(listener);
    }

    void tell(int member, MemberState theirs) {
        listeners.forEach(each -> each.accept(member, theirs));
    }

    /** Forgets the states of members that have left. */
    synchronized void forget(IntPredicate left) {
        states.keySet().removeIf(left::test);
    }

    /** The state of another member; null if it has announced none. */
    synchronized @Nullable MemberState of(int member) {
        return states.get(member);
    }

    /** Whether a member had data in an earlier life, and was empty in a later one. */
    synchronized boolean hasLostItsDisk(int member) {
        return lostTheirDisk.contains(member);
    }

    /** Another member's view of its peers; empty if it announced none. */
    public List<PeerView> peerViews(int member) {
        MemberState state = of(member);
        return state == null ? List.of() : state.sees();
    }

    /** Whether another member has said that it votes. */
    public boolean votes(int member) {
        MemberState state = of(member);
        return state != null && state.condition().votes();
    }

    /** Whether another member has said that it is about to stop. */
    public boolean stops(int member) {
        MemberState state = of(member);
        return state != null && state.condition() == Condition.STOPPING;
    }

    /** The epoch in which a voting member has shown that it has the keys that it gains; or 0. */
    int provedEpoch(int member) {
        MemberState state = of(member);
        return state == null || !state.condition().votes() ? 0 : state.proved();
    }

    /** The other members' wall clocks. */
    public synchronized List<Long> wallMillis() {
        return states.values().stream().map(MemberState::wallMillis).toList();
    }

    /** The largest number of bytes of another member. */
    synchronized long mostBytes() {
        return states.values().stream().mapToLong(MemberState::bytes).max().orElse(0);
    }

    /** Whether every other member votes. */
    synchronized boolean allVote() {
        return states.size() + 1 == topology.current().size()
                && states.values().stream().allMatch(state -> state.condition().votes());
    }

    synchronized boolean anyHasData() {
        return states.values().stream()
                .anyMatch(
                        state ->
                                switch (state.condition()) {
                                    case EMPTY, FOUNDING -> false;
                                    case REBUILDING, RETURNING, WHOLE, STOPPING, REMOVED -> true;
                                });
    }

    /** Sets how many members must be new before this one founds the cluster: at first, all. */
    synchronized void needNew(int members) {
        newNeeded = members;
    }

    /**
     * Whether the cluster has an id, and every member is known to have begun empty. A majority is
     * not enough, unless the operator has said so: if the data is on a member that is down, a
     * member that lost its disk and a member that never started would found a new cluster.
     */
    synchronized boolean allAreNew() {
        return topology.current().cluster() != null
                && states.size() + 1 >= newNeeded
                && !anyHasData();
    }

    /** What a member with a new directory waits for. */
    synchronized String awaited() {
        String missing =
                topology.current().members().stream()
                        .filter(each -> each.number() != self.number())
                        .filter(each -> !states.containsKey(each.number()))
                        .map(Member::name)
                        .collect(joining(", "));
        return (missing.isEmpty()
                        ? "the members have not chosen the cluster's id yet"
                        : "it has not heard from " + missing + " yet")
                + (newNeeded < topology.current().size()
                        ? "; a majority of empty members may found the cluster (--founding=new)"
                        : "");
    }
}
