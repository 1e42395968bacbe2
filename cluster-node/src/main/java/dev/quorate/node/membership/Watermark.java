package dev.quorate.node.membership;

import dev.quorate.router.replica.Horizon;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The moment up to which all members are known to have all their entries. An older tombstone can be
 * dropped, because no entry is left for it to supersede.
 *
 * <p>A member is <i>complete</i> up to a moment if it has every entry that it owns and that was
 * stamped before it. Once a member has agreed with all others, it is complete up to the earliest of
 * these agreements, less the {@code slack}: the time that an entry may take to reach its first
 * replica, for example as a hint. Replicas refuse older writes of clients. An entry that reached
 * another member before their agreement is here too, so later copies among members bring nothing
 * new. The moment up to which all members are complete is the <i>GC watermark</i>. These facts
 * about the past remain true, also across restarts and when another member announces them.
 *
 * <p>Its lock guards every field that changes; nothing is called under it.
 */
public final class Watermark implements Horizon {

    private final Member self;
    private final long slackMillis;

    private final Map<Integer, Long> agreedMillis = new HashMap<>();
    private final Map<Integer, Long> completeMillis = new HashMap<>();
    private Topology topology;

    /** The epoch since which all keys have had the same owners, as far as this process knows. */
    private int placedIn;

    private long knownMillis;
    private volatile long appliedMillis;

    /**
     * @param slack how old a client's write, or a hint, may be when a replica first receives it
     * @param gcWatermarkMillis the watermark from before the start
     */
    Watermark(Topology topology, Member self, Duration slack, long gcWatermarkMillis) {
        this.topology = topology;
        this.placedIn = topology.epoch();
        this.self = self;
        this.slackMillis = slack.toMillis();
        this.knownMillis = gcWatermarkMillis;
        this.appliedMillis = gcWatermarkMillis;
    }

    /**
     * Changes the members and the owners of keys. A member that agreed with others about other
     * keys, or was complete in an earlier epoch, need not have the keys that it owns now (rule I6).
     */
    synchronized void moveTo(Topology next) {
        knownMillis();
        if (!next.placesLike(topology)) {
            agreedMillis.clear();
            completeMillis.clear();
            placedIn = next.epoch();
        }
        topology = next;
    }

    /** See {@link MemberProgress#agreed}. */
    synchronized void agreed(int member, long sinceMillis, int epoch) {
        if (epoch >= placedIn) {
            agreedMillis.merge(member, sinceMillis, Math::max);
        }
    }

    /**
     * Merges another member's announcement.
     *
     * @param epoch in which the member is complete
     */
    synchronized void merge(int member, int epoch, long complete, long watermark) {
        if (epoch >= placedIn) {
            completeMillis.merge(member, complete, Math::max);
        }
        knownMillis = Math.max(knownMillis, watermark);
    }

    /** Lets the only member of a cluster agree with itself. */
    synchronized void agreeAlone(long nowMillis) {
        if (topology.size() == 1) {
            agreedMillis.merge(self.number(), nowMillis, Math::max);
        }
    }

    /** The moment up to which this member is complete in an epoch; 0 if unknown. */
    synchronized long completeMillis(int epoch) {
        return topology.epoch() == epoch ? completeMillis() : 0;
    }

    /** The moment up to which this member is complete; 0 if unknown. */
    synchronized long completeMillis() {
        long earliest = Long.MAX_VALUE;
        int own = self.number();
        for (int member : topology.numbers()) {
            if (member != own || topology.size() == 1) {
                earliest = Math.min(earliest, agreedMillis.getOrDefault(member, 0L));
            }
        }
        return Math.max(earliest - slackMillis, 0);
    }

    /** The highest watermark that this member knows of. */
    synchronized long knownMillis() {
        long earliest = completeMillis();
        int own = self.number();
        for (int member : topology.numbers()) {
            if (member != own) {
                earliest = Math.min(earliest, completeMillis.getOrDefault(member, 0L));
            }
        }
        knownMillis = Math.max(knownMillis, earliest);
        return knownMillis;
    }

    /**
     * Applies the watermark. Called once it is on disk, and the reads and transfers that began
     * before are over.
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
