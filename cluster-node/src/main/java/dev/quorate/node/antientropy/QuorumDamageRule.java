package dev.quorate.node.antientropy;

import dev.quorate.router.message.MemberState;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Timestamp;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a member that lost a range of keys can be healed although other members lost
 * entries of that range too. Pure.
 *
 * <p>It can if sound members have every entry that it may have lost: a sound member has all its
 * entries stamped before its watermark, and no entry in the damaged table is newer than that. There
 * must be fewer damaged members than copies of an entry, so that each entry has a sound owner.
 * Entries for which the client asked for fewer copies (a smaller {@code from}) may be lost, as any
 * damage may lose entries with a single copy.
 */
final class QuorumDamageRule {

    private QuorumDamageRule() {}

    /**
     * The reason why the member cannot be healed; null if it can.
     *
     * @param newest upper bound of the timestamps in the damaged table
     * @param damaged the other members that are damaged in the range as well, at least one
     * @param sound all other members, which have sent everything
     * @param copies the default number of copies of an entry
     */
    static @Nullable String objection(
            Timestamp newest, List<Member> damaged, Map<Member, MemberState> sound, int copies) {
        int all = damaged.size() + 1;
        if (sound.isEmpty() || all >= copies) {
            return all
                    + " members are damaged in the same keys, and an entry has no more than "
                    + copies
                    + " copies";
        }
        for (Map.Entry<Member, MemberState> each : sound.entrySet()) {
            MemberState state = each.getValue();
            if (!state.condition().votes()) {
                return each.getKey().name() + " has lost its disk and is not whole yet";
            }
            long hasAllUpTo = Math.max(state.completeMillis(), state.gcWatermarkMillis());
            if (newest.wallMillis() >= hasAllUpTo) {
                return each.getKey().name()
                        + (hasAllUpTo == 0
                                ? " does not know up to when it has everything"
                                : " is known to have everything only up to "
                                        + Timestamp.time(hasAllUpTo))
                        + ", and what is damaged may be as new as "
                        + Timestamp.time(newest.wallMillis());
            }
        }
        return null;
    }
}
