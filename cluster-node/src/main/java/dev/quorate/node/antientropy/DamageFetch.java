package dev.quorate.node.antientropy;

import dev.quorate.node.membership.MemberProgress;
import dev.quorate.router.background.Backoff;
import dev.quorate.router.background.Job;
import dev.quorate.router.background.Step;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Damage;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Fetches from every peer the entries that this node owns in the damaged ranges of one table, as if
 * it had none there, and writes them to the store. Entries that are not newer than this node's
 * change nothing.
 *
 * <p>It proceeds window by window: the first peer's next page determines the end of the window,
 * then every other peer is asked for the whole window. A peer that does not answer is asked again,
 * with a growing pause, until it does: the fetch does not end before every peer has sent all its
 * entries. If peers are damaged in the window too, it continues with their readable entries if
 * {@link QuorumDamageRule} has no objection, or an operator has accepted the loss. At most one page
 * is in memory.
 */
final class DamageFetch implements Job<DamageFetch.Phase> {

    static final int PAGE_BYTES = 256 << 10;
    static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /** Each phase has one kind of exchange, of which one at a time is in progress. */
    enum Phase {
        /** Fetch the next page of the current peer. */
        FETCH,
        WRITE,
        /** Decide whether to continue without damaged peers, which needs all peers' states. */
        WEIGH_DAMAGE,
        /** Every peer has sent the window: find the entries that only this node has. */
        FIND_UNKNOWN,
        /** Decide whether these entries were deleted, which needs all peers' states. */
        JUDGE_UNKNOWN,
        /** Delete them here. */
        DELETE,
        OVER
    }

    private final Damage damage;
    private final KeyValueStore store;
    private final List<Replica> peers;
    private final CommonOwnership own;
    private final MemberProgress progress;
    private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);

    /** The ranges after the current one. */
    private final Deque<KeyRange> ranges = new ArrayDeque<>();

    private Phase phase = Phase.FETCH;
    private boolean underWay;

    private KeyRange range;
    private byte[] windowStart;
    private byte @Nullable [] windowEnd;

    /** Whether the end of the window is known. */
    private boolean bounded;

    /** The peers that are still to be asked for the window, excluding the current one. */
    private final Deque<Replica> toAsk = new ArrayDeque<>();

    private Replica asked;
    private byte[] at;

    /** The peers that cannot read all of the window. */
    private final Set<Replica> damaged = new LinkedHashSet<>();

    /** Whether the damaged peers are asked for the entries that they can still read. */
    private boolean withoutDamaged;

    /** The keys in the window that sound peers have sent. */
    private final Set<byte[]> sent = new TreeSet<>(Arrays::compareUnsigned);

    private ReplicaAnswer.@Nullable Page page;
    private final List<Entry> toWrite = new ArrayList<>();
    private final List<Entry> unknown = new ArrayList<>();
    private final Map<Member, MemberState> states = new LinkedHashMap<>();

    private long written;
    private String waitsFor = "";
    private @Nullable String concession;
    private @Nullable AcceptedLoss accepted;
    private @Nullable AcceptedLoss loss;

    /**
     * @param damage the damage, of at least one range
     * @param peers all peers that may have entries in the ranges; at least one
     * @param own decides which entries this node owns
     * @param store this node's store
     * @param accepted the loss that an operator has accepted; null if none
     */
    DamageFetch(
            Damage damage,
            List<Replica> peers,
            CommonOwnership own,
            KeyValueStore store,
            MemberProgress progress,
            @Nullable AcceptedLoss accepted) {
        this.damage = damage;
        this.peers = List.copyOf(peers);
        this.own = own;
        this.store = store;
        this.progress = progress;
        this.accepted = accepted;
        ranges.addAll(damage.ranges());
        range = ranges.remove();
        windowStart = range.start();
        windowEnd = range.end();
        at = windowStart;
        asked = peers.getFirst();
        toAsk.addAll(peers.subList(1, peers.size()));
    }

    @Override
    public Step<Phase> next() {
        while (true) {
            if (phase == Phase.OVER) {
                return new Step.End<>();
            }
            if (underWay) {
                return new Step.Await<>();
            }
            if (backoff.isDue()) {
                return new Step.Pause<>(backoff.take());
            }
            if (phase == Phase.FIND_UNKNOWN) {
                findUnknown();
                continue;
            }
            underWay = true;
            return exchange();
        }
    }

    private Step<Phase> exchange() {
        return switch (phase) {
            case FETCH -> new Step.Ask<>(phase, asked, pageRequest());
            case WRITE, DELETE -> new Step.Write<>(phase, toWrite);
            case WEIGH_DAMAGE, JUDGE_UNKNOWN -> askForState(peers.get(states.size()));
            case FIND_UNKNOWN, OVER -> throw new IllegalStateException(phase + " asks nobody");
        };
    }

    private ReplicaRequest pageRequest() {
        return withoutDamaged && damaged.contains(asked)
                ? new ReplicaRequest.ScanReadable(at, windowEnd, PAGE_BYTES)
                : new ReplicaRequest.ScanPage(at, windowEnd, PAGE_BYTES);
    }

    private Step<Phase> askForState(Replica peer) {
        return new Step.Ask<>(
                phase,
                peer,
                new ReplicaRequest.Announce(
                        own.one().number(), progress.stateFor(peer.member().number())));
    }

    @Override
    public void answered(Phase during, ReplicaAnswer answer) {
        underWay = false;
        switch (answer) {
            case ReplicaAnswer.Page received when during == Phase.FETCH -> received(received);
            case ReplicaAnswer.Announced(MemberState state) when during != Phase.FETCH ->
                    received(state);
            case ReplicaAnswer other -> refused(during, other.failure());
        }
    }

    private void refused(Phase during, Failed failed) {
        if (during != Phase.FETCH) {
            Replica silent = peers.get(states.size());
            states.clear();
            pause(silent.member().name() + ": it has not sent its state");
        } else if (failed.reason() == Failure.CORRUPT && !withoutDamaged) {
            damaged.add(asked);
            askNext();
        } else {
            pause(asked.member().name() + ": " + failed.reason() + ": " + failed.detail());
        }
    }

    /** Retries after a pause. */
    private void pause(String why) {
        waitsFor = why;
        loss = null;
        backoff.failed();
    }

    // ---- One window.

    private void received(ReplicaAnswer.Page received) {
        page = received;
        toWrite.clear();
        for (Entry entry : received.entries()) {
            if (!withoutDamaged) {
                sent.add(entry.key());
            }
            if (own.holds(entry)) {
                toWrite.add(entry);
            }
        }
        phase = Phase.WRITE;
    }

    @Override
    public void wrote(Phase during, @Nullable Failed failure) {
        underWay = false;
        if (failure != null) {
            pause(own.one().name() + ": " + failure.detail());
            if (during == Phase.DELETE) {
                phase = Phase.FIND_UNKNOWN;
            }
            return;
        }
        backoff.succeeded();
        written += toWrite.size();
        ReplicaAnswer.Page last = page;
        if (last == null) {
            endWindow();
        } else {
            page = null;
            follow(last);
        }
    }

    private void follow(ReplicaAnswer.Page written) {
        if (!written.last()) {
            byte[] reached = KeyRange.after(written.entries().getLast().key());
            if (bounded || withoutDamaged) {
                at = reached;
                phase = Phase.FETCH;
                return;
            }
            windowEnd = reached;
        }
        bounded = true;
        askNext();
    }

    private void askNext() {
        Replica next = toAsk.poll();
        if (next != null) {
            asked = next;
            at = windowStart;
            phase = Phase.FETCH;
        } else if (withoutDamaged || damaged.isEmpty()) {
            phase = Phase.FIND_UNKNOWN;
        } else {
            phase = Phase.WEIGH_DAMAGE;
        }
    }

    private void received(MemberState state) {
        Replica peer = peers.get(states.size());
        progress.onState(peer.member().number(), state);
        states.put(peer.member(), state);
        if (states.size() < peers.size()) {
            return;
        }
        Map<Member, MemberState> all = new LinkedHashMap<>(states);
        states.clear();
        if (phase == Phase.WEIGH_DAMAGE) {
            weighDamage(all);
        } else {
            judgeUnknown(all);
        }
    }

    // ---- Damaged peers.

    private void weighDamage(Map<Member, MemberState> all) {
        List<Member> without = damaged.stream().map(Replica::member).toList();
        Map<Member, MemberState> sound = new LinkedHashMap<>(all);
        without.forEach(sound::remove);
        boolean goesOn = acceptsLossOf(without, sound);
        toAsk.addAll(damaged);
        if (goesOn) {
            withoutDamaged = true;
        } else {
            damaged.clear();
            backoff.failed();
        }
        askNext();
    }

    private boolean acceptsLossOf(List<Member> without, Map<Member, MemberState> sound) {
        String objection =
                QuorumDamageRule.objection(damage.newest(), without, sound, own.copies());
        List<String> names = without.stream().map(Member::name).toList();
        AcceptedLoss given = accepted;
        if (objection == null) {
            concede(
                    ("%s %s damaged in the same keys. Healing continues with what can be read there:"
                                    + " %s had everything that this table can have had. What was"
                                    + " written for the damaged members alone is lost")
                            .formatted(
                                    names(without),
                                    without.size() == 1 ? "is" : "are",
                                    names(sound.keySet())));
        } else if (given != null && given.covers(damage, range, names)) {
            concede(given.acceptance());
        } else {
            List<KeyRange> open = new ArrayList<>();
            open.add(range);
            open.addAll(ranges);
            loss = new AcceptedLoss(damage.file(), open, damage.newest(), names, objection);
            waitsFor =
                    names(without)
                            + ", damaged in the same keys: "
                            + objection
                            + ". './quorate repair --accept-loss' shows what may be lost, and goes"
                            + " on without it if told to";
            return false;
        }
        loss = null;
        return true;
    }

    /** Logged once for each damage. */
    private void concede(String what) {
        if (concession == null) {
            concession = what;
        }
    }

    private static String names(Collection<Member> members) {
        return members.stream().map(Member::name).collect(Collectors.joining(", "));
    }

    // ---- The end of a window.

    private void findUnknown() {
        unknown.clear();
        try {
            addUnknown();
        } catch (StorageException e) {
            pause(own.one().name() + ": " + e.getMessage());
            return;
        }
        if (unknown.isEmpty()) {
            endWindow();
        } else {
            phase = Phase.JUDGE_UNKNOWN;
        }
    }

    /**
     * Adds a tombstone for each entry whose key only this node has. If peers are damaged, a sound
     * peer must own the entry too: what the damaged peers lost is unknown.
     */
    private void addUnknown() {
        List<CommonOwnership> withSound =
                peers.stream()
                        .filter(peer -> !damaged.contains(peer))
                        .map(peer -> own.with(peer.member()))
                        .toList();
        if (withSound.isEmpty()) {
            return;
        }
        try (EntryCursor readable = store.scanReadable(windowStart, windowEnd)) {
            while (readable.next()) {
                if (sent.contains(readable.key())) {
                    continue;
                }
                Entry entry = readable.entry();
                boolean isKnownOf =
                        damaged.isEmpty()
                                || withSound.stream().anyMatch(shared -> shared.holds(entry));
                if (!entry.isTombstone() && own.holds(entry) && isKnownOf) {
                    unknown.add(Entry.tombstone(entry.key(), entry.timestamp(), entry.from()));
                }
            }
        }
    }

    /**
     * Deletes entries again. An entry that every member had and no other member has now was
     * deleted: its tombstone was dropped there, and lost here with the damage. A tombstone with the
     * entry's own timestamp supersedes it. The watermarks are read after all members have sent
     * their entries: a member that dropped a tombstone before then had the watermark by then. If a
     * member lost its disk, nothing is concluded: it may have owned the entry as well.
     */
    private void judgeUnknown(Map<Member, MemberState> all) {
        long gcWatermarkMillis = store.tombstonesCollectedUpTo().wallMillis();
        for (MemberState each : all.values()) {
            if (!each.condition().votes()) {
                endWindow();
                return;
            }
            gcWatermarkMillis = Math.max(gcWatermarkMillis, each.gcWatermarkMillis());
        }
        toWrite.clear();
        for (Entry tombstone : unknown) {
            if (tombstone.timestamp().wallMillis() < gcWatermarkMillis) {
                toWrite.add(tombstone);
            }
        }
        phase = Phase.DELETE;
    }

    private void endWindow() {
        loss = null;
        byte[] end = windowEnd;
        KeyRange next = range;
        if (end == null || Arrays.equals(end, range.end())) {
            next = ranges.poll();
            if (next == null) {
                phase = Phase.OVER;
                return;
            }
            end = next.start();
        }
        range = next;
        sent.clear();
        damaged.clear();
        withoutDamaged = false;
        bounded = false;
        windowStart = end;
        windowEnd = range.end();
        toAsk.addAll(peers);
        askNext();
    }

    // ---- For its owner.

    /** Accepts a loss, and ends a pause that waits for it. */
    void accept(AcceptedLoss given) {
        accepted = given;
        backoff.succeeded();
    }

    /** How many entries of peers were written, including those that this node already had. */
    long written() {
        return written;
    }

    /** The reason of the last pause; empty if there was none. */
    String waitsFor() {
        return waitsFor;
    }

    /** Why the fetch continues without a damaged peer; null if it does not. */
    @Nullable String concession() {
        return concession;
    }

    /** The loss that must be accepted before the fetch continues; null if none. */
    @Nullable AcceptedLoss loss() {
        return loss;
    }
}
