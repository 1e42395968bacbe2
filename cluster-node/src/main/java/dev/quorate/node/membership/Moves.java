package dev.quorate.node.membership;

import dev.quorate.router.message.MemberState;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.topology.Member;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Estimates the bytes that move in a change of members, from what members have announced. */
public final class Moves {

    private Moves() {}

    /**
     * The bytes that each member gains, by the member that sends them. Before the change, all
     * members together have each key as often as the replication factor.
     *
     * @param states the state that a member has announced, by its number
     */
    public static Map<Member, Map<Member, Long>> bytes(
            Placement placement, IntFunction<@Nullable MemberState> states) {
        double stored = 0;
        for (Member each : placement.before().topology().members()) {
            MemberState state = states.apply(each.number());
            stored += state == null ? 0 : state.bytes() - state.gainedBytes();
        }
        double ofAllKeys = Math.max(stored, 0) / placement.before().topology().replicationFactor();
        Map<Member, Map<Member, Long>> bytes = new LinkedHashMap<>();
        placement
                .moves()
                .forEach(
                        (gainer, sources) ->
                                sources.forEach(
                                        (source, fraction) ->
                                                bytes.computeIfAbsent(
                                                                gainer, _ -> new LinkedHashMap<>())
                                                        .put(
                                                                source,
                                                                Math.round(fraction * ofAllKeys))));
        return bytes;
    }

    /** The bytes that one member gains in all. */
    public static long to(Member gainer, Map<Member, Map<Member, Long>> bytes) {
        return bytes.getOrDefault(gainer, Map.of()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
