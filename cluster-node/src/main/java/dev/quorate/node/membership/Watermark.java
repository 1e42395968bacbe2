package dev.quorate.node.membership;

import dev.quorate.node.replica.Horizon;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Up to when all members are known to have all that they are to have. A tombstone from before that
 * can go: there is nothing left that it hides.
 *
 * <p>A member is <i>complete</i> up to a moment if it has every entry that it is to have and that
 * was stamped before it. It knows that of itself once it has agreed with every other member, since
 * the earliest of these agreements, less the {@code slack}: an entry may take that long, as a hint,
 * to come to a replica for the first time, and no replica takes a client's write that is older.
 * What came to any other member before their agreement began this one has as well; so whatever
 * copies are made among members later, it has had them. What is complete up to the same moment on
 * all members is <i>settled</i>. These are facts about the past, which stay true: a member may
 * believe another's, and its own from before a restart.
 *
 * <p>Its lock guards every field that changes; nothing is called under it.
 */
final class Watermark implements Horizon {

    private final Topology topology;
    private final Member self;
    private final long slackMillis;

    private final Map<Integer, Long> agreedMillis = new HashMap<>();
    private final Map<Integer, Long> completeMillis = new HashMap<>();
    private long knownMillis;
    private volatile long appliedMillis;

    /**
     * @param slack how old a client's write, or a hint, may be when it comes to a replica for the
     *     first time
     * @param gcWatermarkMillis what was settled, as this member knew before
     */
    Watermark(Topology topology, Member self, Duration slack, long gcWatermarkMillis) {
        this.topology = topology;
        this.self = self;
        this.slackMillis = slack.toMillis();
        this.knownMillis = gcWatermarkMillis;
        this.appliedMillis = gcWatermarkMillis;
    }

    /** See {@link MemberProgress#agreed}. */
    synchronized void agreed(int member, long sinceMillis) {
        agreedMillis.merge(member, sinceMillis, Math::max);
    }

    /** Another member's claims. */
    synchronized void heard(int member, long complete, long settled) {
        completeMillis.merge(member, complete, Math::max);
        knownMillis = Math.max(knownMillis, settled);
    }

    /** A cluster of one agrees with itself at any time. */
    synchronized void alone(long nowMillis) {
        if (topology.size() == 1) {
            agreedMillis.merge(self.number(), nowMillis, Math::max);
        }
    }

    /** Up to when this member has all that it is to have; 0 if that is not known. */
    synchronized long completeMillis() {
        long earliest = Long.MAX_VALUE;
        for (Member member : topology.members()) {
            if (member.number() != self.number() || topology.size() == 1) {
                earliest = Math.min(earliest, agreedMillis.getOrDefault(member.number(), 0L));
            }
        }
        return Math.max(earliest - slackMillis, 0);
    }

    /** What is settled, as far as this member has heard. */
    synchronized long knownMillis() {
        long earliest = completeMillis();
        for (Member member : topology.members()) {
            if (member.number() != self.number()) {
                earliest = Math.min(earliest, completeMillis.getOrDefault(member.number(), 0L));
            }
        }
        knownMillis = Math.max(knownMillis, earliest);
        return knownMillis;
    }

    /** From now on this member acts on it: after it is on disk, and after what it ended is over. */
    void apply(long settled) {
        appliedMillis = settled;
    }

    @Override
    public long gcWatermarkMillis() {
        return appliedMillis;
    }

    @Override
    public long oldestWriteMillis(long nowMillis) {
        return nowMillis - slackMillis;
    }
}
