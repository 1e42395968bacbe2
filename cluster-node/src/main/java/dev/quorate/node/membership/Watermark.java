package dev.quorate.node.membership;

import dev.quorate.router.replica.Horizon;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The moment up to which all members are known to have all their entries. A tombstone from before
 * can be dropped: nothing is left for it to supersede.
 *
 * <p>A member is <i>complete</i> up to a moment if it has every entry that it owns and that was
 * stamped before it. It is, once it has agreed with every other member: up to the earliest of these
 * agreements, less the {@code slack}, which is how long an entry may take to reach its first
 * replica, as a hint for example; replicas refuse clients' writes that are older. Whatever reached
 * another member before their agreement, this one has as well; so later copies among members bring
 * it nothing new. The moment up to which all members are complete is the <i>GC watermark</i>. These
 * are facts about the past, which stay true: they hold for other members' announcements, and across
 * restarts.
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
     * @param slack how old a client's write, or a hint, may be when a replica first receives it
     * @param gcWatermarkMillis the watermark from before the start
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

    /** Takes another member's announcement. */
    synchronized void heard(int member, long complete, long watermark) {
        completeMillis.merge(member, complete, Math::max);
        knownMillis = Math.max(knownMillis, watermark);
    }

    /** Completes the member of a cluster of one. */
    synchronized void alone(long nowMillis) {
        if (topology.size() == 1) {
            agreedMillis.merge(self.number(), nowMillis, Math::max);
        }
    }

    /** The moment up to which this member is complete; 0 if unknown. */
    synchronized long completeMillis() {
        long earliest = Long.MAX_VALUE;
        for (Member member : topology.members()) {
            if (member.number() != self.number() || topology.size() == 1) {
                earliest = Math.min(earliest, agreedMillis.getOrDefault(member.number(), 0L));
            }
        }
        return Math.max(earliest - slackMillis, 0);
    }

    /** The highest watermark that this member knows of. */
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

    /**
     * Applies the watermark: after it is on disk, and after the reads and transfers that began
     * before it are over.
     */
    void apply(long watermark) {
        appliedMillis = watermark;
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
