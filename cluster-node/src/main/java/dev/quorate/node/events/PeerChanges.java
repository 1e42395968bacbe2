package dev.quorate.node.events;

import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.node.health.PeerStanding;
import java.util.List;
import java.util.Locale;

/**
 * What happens to one peer, decided from its states one after the other. Not thread-safe.
 *
 * <p>A peer that was down briefly between two observations is noticed too: then it is up since
 * another moment.
 */
final class PeerChanges {

    private final String peer;
    private final long maxOffsetMillis;

    private PeerStanding standing = PeerStanding.UNKNOWN;
    private long sinceMillis;

    /** How long it was away before it came back; 0 if it was not, or that was reported. */
    private long awayMillis;

    /** Whether hints for it are there, or may still come. */
    private boolean isBehind;

    /** How many hints it had taken before it was behind. */
    private long takenBefore;

    private boolean isClockOff;
    private long repairNanos;
    private boolean isRepairRunning;

    /**
     * @param maxOffsetMillis how far its clock may be from this node's
     */
    PeerChanges(String peer, long maxOffsetMillis) {
        this.peer = peer;
        this.maxOffsetMillis = maxOffsetMillis;
    }

    /** Its standing and its clock. */
    void health(PeerHealth now, long millis, List<Happening> happened) {
        standing(now, millis, happened);
        if (now.standing() == PeerStanding.UP) {
            clock(now.clockAheadMillis(), millis, happened);
        }
    }

    private void standing(PeerHealth now, long millis, List<Happening> happened) {
        if (now.standing() == standing && now.sinceMillis() == sinceMillis) {
            return;
        }
        long at = now.sinceMillis() > 0 ? now.sinceMillis() : millis;
        switch (now.standing()) {
            case UNKNOWN -> {}
            case UP -> {
                boolean wasAway = standing == PeerStanding.DOWN || standing == PeerStanding.REFUSED;
                awayMillis = wasAway ? Math.max(at - sinceMillis, 1) : 0;
                String text =
                        switch (standing) {
                            case UNKNOWN -> peer + " is up";
                            case UP -> peer + " was away for a moment, and is up again";
                            case DOWN, REFUSED ->
                                    peer + " is up again, after " + Spans.of(awayMillis);
                        };
                happened.add(new Happening(at, EventKind.PEER_UP, peer, text));
            }
            case DOWN ->
                    happened.add(
                            new Happening(
                                    at,
                                    EventKind.PEER_DOWN,
                                    peer,
                                    peer + " is down: " + now.lastError()));
            case REFUSED ->
                    happened.add(
                            new Happening(
                                    at,
                                    EventKind.PEER_REFUSED,
                                    peer,
                                    peer + " and this node refuse each other: " + now.lastError()));
        }
        standing = now.standing();
        sinceMillis = now.sinceMillis();
    }

    /** Reported at half of what is allowed, and no longer below a quarter of it. */
    private void clock(long aheadMillis, long millis, List<Happening> happened) {
        long offset = Math.abs(aheadMillis);
        if (!isClockOff && offset >= maxOffsetMillis / 2) {
            isClockOff = true;
            happened.add(
                    new Happening(
                            millis,
                            EventKind.CLOCK_OFF,
                            peer,
                            "The clock of %s is %s %s this node's; %s are allowed"
                                    .formatted(
                                            peer,
                                            Spans.of(offset),
                                            aheadMillis > 0 ? "ahead of" : "behind",
                                            Spans.of(maxOffsetMillis))));
        } else if (isClockOff && offset < maxOffsetMillis / 4) {
            isClockOff = false;
            happened.add(
                    new Happening(
                            millis,
                            EventKind.CLOCK_RIGHT,
                            peer,
                            "The clock of " + peer + " agrees with this node's again"));
        }
    }

    /** The hints for it. Called after its standing. */
    void hints(HandoffStatistics.OfTarget now, long millis, List<Happening> happened) {
        boolean isAway = standing == PeerStanding.DOWN || standing == PeerStanding.REFUSED;
        if (!isBehind && (isAway || now.pendingBytes() > 0)) {
            isBehind = true;
        } else if (isBehind && !isAway && now.pendingBytes() == 0) {
            isBehind = false;
            long taken = now.stored() - takenBefore;
            if (taken > 0) {
                happened.add(new Happening(millis, EventKind.HINTS_SENT, peer, sent(taken)));
            }
            awayMillis = 0;
        }
        if (!isBehind) {
            takenBefore = now.stored();
        }
    }

    private String sent(long writes) {
        if (awayMillis == 0) {
            String were = writes == 1 ? " was" : " were";
            return Spans.count(writes, "write", "writes") + were + " sent to " + peer;
        }
        return peer
                + " was away for "
                + Spans.of(awayMillis)
                + "; "
                + Spans.count(writes, "write was", "writes were")
                + " sent to it";
    }

    /** The last repair with it, or the running one. */
    void repair(PeerRepairStatus now, long millis, List<Happening> happened) {
        boolean hasEnded =
                switch (now.phase()) {
                    case NONE, WAITING, RUNNING -> false;
                    case AGREED, INCOMPLETE, FAILED -> true;
                };
        if (hasEnded && (isRepairRunning || now.nanos() != repairNanos)) {
            ended(now, millis, happened);
        }
        isRepairRunning = !hasEnded && now.phase() != PeerRepairStatus.Phase.NONE;
        if (hasEnded) {
            repairNanos = now.nanos();
        }
    }

    private void ended(PeerRepairStatus repair, long millis, List<Happening> happened) {
        if (repair.phase() != PeerRepairStatus.Phase.AGREED) {
            happened.add(
                    new Happening(
                            millis,
                            EventKind.REPAIR_FAILED,
                            peer,
                            "The repair with " + peer + " is not complete: " + repair.detail()));
        } else if (repair.pushed() + repair.pulled() > 0) {
            happened.add(
                    new Happening(
                            millis,
                            EventKind.REPAIR_DIFFERENCES,
                            peer,
                            String.format(
                                    Locale.ROOT,
                                    "A repair with %s found %s: %,d entries were sent, %,d fetched",
                                    peer,
                                    Spans.count(
                                            repair.differing(),
                                            "key that differed",
                                            "keys that differed"),
                                    repair.pushed(),
                                    repair.pulled())));
        }
    }
}
