package dev.quorate.node.membership;

import com.google.common.collect.Sets;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Decides which topologies may follow another. Pure. */
public final class ChangeRule {

    private ChangeRule() {}

    /** Why a topology cannot be proposed to follow another, in one sentence; null if it can. */
    static @Nullable String refusal(Topology current, Topology next) {
        if (next.epoch() != current.epoch() + 1) {
            return "It is not the next epoch.";
        }
        if (!next.succeeds(current)) {
            return "It is not an epoch of this cluster.";
        }
        if (current.isJoint()
                && (next.equals(current.completed()) || next.equals(current.cancelled()))) {
            return null;
        }
        if (next.shrunk() != current.shrunk()) {
            return "It does not end the change that is in progress.";
        }
        if (next.placesLike(current)) {
            return null;
        }
        if (current.isJoint()) {
            return "Another change of members is in progress.";
        }
        boolean joinsNow =
                next.members().stream()
                        .allMatch(
                                each ->
                                        each.part() != Member.Part.JOINS
                                                || each.since() == next.epoch());
        return next.isJoint() && next.before().placesLike(current) && joinsNow
                ? null
                : "It does not begin a change of the current members.";
    }

    /**
     * The topology that ends the change in progress; null while a member that gains keys has not
     * shown that it has them, or if no change is in progress.
     *
     * @param gainers the members that gain keys
     * @param proved the epoch in which a member has shown that
     */
    static @Nullable Topology completion(
            Topology current, Collection<Member> gainers, ToIntFunction<Member> proved) {
        return current.isJoint()
                        && gainers.stream()
                                .allMatch(each -> proved.applyAsInt(each) == current.epoch())
                ? current.completed()
                : null;
    }

    /**
     * The next topology, in which some members have other addresses; the current one if these are
     * their addresses already.
     *
     * @param addresses by the names of members
     * @throws IllegalArgumentException with one sentence if there is no such member, or two have
     *     the same address
     */
    public static Topology withAddresses(Topology current, Map<String, URI> addresses) {
        requireMembers(current, addresses.keySet());
        List<Member> changed =
                current.members().stream()
                        .map(each -> each.at(addresses.getOrDefault(each.name(), each.url())))
                        .toList();
        boolean isSame = changed.stream().allMatch(current::hasAt);
        return isSame ? current : current.next(changed);
    }

    private static void requireMembers(Topology current, Set<String> names) {
        for (String name : names) {
            if (current.member(name) == null) {
                throw new IllegalArgumentException("The cluster has no member '" + name + "'.");
            }
        }
    }

    /**
     * The next topology, in which the change in progress is cancelled.
     *
     * @throws IllegalArgumentException with one sentence if there is none
     */
    public static Topology withoutChange(Topology current) {
        if (!current.isJoint()) {
            throw new IllegalArgumentException("No change of members is in progress.");
        }
        return current.cancelled();
    }

    /**
     * The next topology, in which members join, leave or change their place, or keys get more or
     * fewer copies: a joint epoch. The current one if nothing changes.
     *
     * @param joins the addresses of members that join, by name
     * @param leaves the names of members that leave
     * @param lost the names of members that are lost for good
     * @param places the places of members that join or stay, if not the usual one or that of before
     * @param factor copies of a key if a request specifies none; 0 for as many as before, or, where
     *     all members have each key, for all members until they are three
     * @throws IllegalArgumentException with one sentence if the members cannot change so
     * @throws IllegalStateException with one sentence if a change is in progress
     */
    public static Topology withMembers(
            Topology current,
            Map<String, URI> joins,
            Set<String> leaves,
            Set<String> lost,
            Map<String, Member.Place> places,
            int factor) {
        if (current.isJoint()) {
            throw new IllegalStateException(
                    "Another change of members is in progress: wait for its end, or cancel it.");
        }
        List<Member> changed = new ArrayList<>();
        for (Member each : current.members()) {
            if (joins.containsKey(each.name())) {
                throw new IllegalArgumentException(
                        "The cluster has a member '" + each.name() + "' already.");
            }
            boolean isLost = lost.contains(each.name());
            if (isLost && leaves.contains(each.name())) {
                throw new IllegalArgumentException(
                        "'" + each.name() + "' either leaves or is lost.");
            }
            changed.add(
                    isLost
                            ? each.as(Member.Part.LOST)
                            : leaves.contains(each.name())
                                    ? each.as(Member.Part.LEAVES)
                                    : each.to(places.getOrDefault(each.name(), each.place())));
        }
        requireMembers(current, leaves);
        requireMembers(current, lost);
        requireMembers(current, Sets.difference(places.keySet(), joins.keySet()));
        int left = current.size() - leaves.size() - lost.size() + joins.size();
        int copies = factor == 0 ? copies(current, left) : factor;
        if (copies > Math.min(left, QuorumSpec.MAX_FROM)) {
            throw new IllegalArgumentException(
                    left < copies
                            ? "%s members are too few for %s copies of each key: keep more members, or"
                                            .formatted(left, copies)
                                    + " reduce 'replication' in the same change."
                            : "A key has at most " + QuorumSpec.MAX_FROM + " copies.");
        }
        joins.forEach(
                (name, url) ->
                        changed.add(
                                new Member(name, url, current.epoch() + 1)
                                        .as(Member.Part.JOINS)
                                        .in(places.getOrDefault(name, Member.Place.USUAL))));
        Topology next = current.next(changed, copies);
        long zones = zones(current);
        if (!leaves.isEmpty() && zones(next.after()) < Math.min(zones, copies)) {
            throw new IllegalArgumentException(
                    "The copies of a key would share a zone, because one would have no member: give"
                            + " its zone to another member first.");
        }
        return next.isJoint() ? next : current;
    }

    private static int copies(Topology current, int members) {
        int copies = current.replicationFactor();
        return copies == current.size() && copies < members
                ? Math.max(copies, Math.min(Topology.DEFAULT_REPLICATION_FACTOR, members))
                : copies;
    }

    private static long zones(Topology topology) {
        return topology.members().stream().map(each -> each.place().zone()).distinct().count();
    }
}
