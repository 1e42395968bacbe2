package dev.quorate.node.membership;

import dev.quorate.router.message.KnownLife;
import dev.quorate.router.message.MemberState.Condition;
import java.util.List;

/**
 * The state of a member from before its start.
 *
 * @param condition the condition of its data
 * @param trusted whether other members' states cannot change it
 * @param generation its generation
 * @param known the generations of all members
 * @param gcWatermarkMillis the GC watermark, in milliseconds since 1970
 */
public record Past(
        Condition condition,
        boolean trusted,
        long generation,
        List<KnownLife> known,
        long gcWatermarkMillis) {

    public Past {
        known = List.copyOf(known);
    }
}
