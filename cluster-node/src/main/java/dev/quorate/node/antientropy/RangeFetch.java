package dev.quorate.node.antientropy;

import dev.quorate.node.clock.Scheduler;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.message.MemberState;
import dev.quorate.node.message.PeerCodec;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fetches from every peer what this node is to hold of a range of keys, as if it had nothing there,
 * and writes it to the store. Where this node has an entry as new already, nothing changes.
 *
 * <p>Goes window by window: the first peer's next page says how far a window reaches, then all of
 * the window is asked of each other peer. A peer that does not answer is asked again, later and
 * later, until it does: the fetch has no end before every peer has given all that it has. Where one
 * is damaged in the window as well, whoever asked for the fetch says whether it goes on with what
 * that one can still read.
 *
 * <p>Everything happens in tasks of one {@link Serial}, which may wait for the disk. At most one
 * page is in memory.
 */
final class RangeFetch {

    private static final int PAGE_BYTES = 256 << 10;
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final Duration FIRST_WAIT = Duration.ofMillis(500);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final KeyValueStore store;
    private final List<Replica> peers;
    private final CommonOwnership own;
    private final KeyRange range;
    private final MemberProgress progress;
    private final Replica local;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Executor serial;
    private final Pace pace;
    private final Owner owner;

    // Of the serial tasks alone.
    private byte[] windowStart;
    private byte @Nullable [] windowEnd;

    /** Whether a peer has said how far the window reaches. */
    private boolean bounded;

    /** Those that are still to be asked for the window, the one that is being asked left out. */
    private final Deque<Replica> toAsk = new ArrayDeque<>();

    private Replica asked;
    private byte[] at;

    /** Those that cannot read all of the window. */
    private final Set<Replica> damaged = new LinkedHashSet<>();

    /** Whether they are asked for what they can read. */
    private boolean around;

    /** The keys that peers have of the window, but for those from around a damage. */
    private final Set<byte[]> given = new TreeSet<>(Arrays::compareUnsigned);

    private Duration nextWait = FIRST_WAIT;
    private @Nullable Runnable retry;
    private long waits;

    private volatile boolean cancelled;
    private volatile long written;

    /** Who has the range fetched. Told everything in tasks of the serial executor. */
    interface Owner {

        /** It waits, and why; told each time that it does. */
        void waits(String why);

        /**
         * Whether to go on with what damaged peers can read, without what they have lost of the
         * range; otherwise they are asked again later.
         *
         * @param damaged those peers
         * @param sound all others, who have given everything, with what they say of themselves
         */
        boolean goesOnWithout(List<Member> damaged, Map<Member, MemberState> sound);

        /** A part of the range is complete. */
        void goesOn();

        /** All is written. */
        void done();
    }

    /**
     * @param peers all that may have something of the range; at least one
     * @param own what this node is to hold: those shared with itself
     */
    RangeFetch(
            PeerRepair.Surroundings node,
            long bytesPerSecond,
            List<Replica> peers,
            CommonOwnership own,
            KeyRange range,
            Owner owner) {
        this.store = node.store();
        this.ticker = node.ticker();
        this.scheduler = node.scheduler();
        this.serial = node.serial();
        this.pace = new Pace(bytesPerSecond, ticker.nanos());
        this.peers = List.copyOf(peers);
        this.own = own;
        this.range = range;
        this.progress = node.progress();
        this.local = node.local();
        this.owner = owner;
        this.windowStart = range.start();
        this.windowEnd = range.end();
        this.at = range.start();
        this.asked = peers.getFirst();
        toAsk.addAll(peers.subList(1, peers.size()));
    }

    void start() {
        serial.execute(this::ask);
    }

    /** If it waits, it tries again now. */
    void hurry() {
        serial.execute(
                () -> {
                    nextWait = FIRST_WAIT;
                    tryAgain(waits);
                });
    }

    /** Ends it where it is; nobody is told. */
    void cancel() {
        cancelled = true;
    }

    /** Entries that peers gave and that were written, those included that were there already. */
    long written() {
        return written;
    }

    private void ask() {
        if (cancelled) {
            return;
        }
        long waitNanos = pace.waitNanos(ticker.nanos());
        if (waitNanos > 0) {
            scheduler.after(Duration.ofNanos(waitNanos), () -> serial.execute(this::ask));
            return;
        }
        byte[] end = windowEnd;
        asked.ask(
                around && damaged.contains(asked)
                        ? new ReplicaRequest.ScanReadable(at, end, PAGE_BYTES)
                        : new ReplicaRequest.ScanPage(at, end, PAGE_BYTES),
                ticker.nanos() + DEADLINE.toNanos(),
                answer -> serial.execute(() -> answered(answer)));
    }

    private void answered(ReplicaAnswer answer) {
        if (cancelled) {
            return;
        }
        pace.spend(PeerCodec.answerBytes(answer), ticker.nanos());
        if (answer instanceof ReplicaAnswer.Page page) {
            keep(page);
            return;
        }
        Failed failed = answer.failure();
        if (failed.reason() == Failure.CORRUPT && !around) {
            damaged.add(asked);
            askNext();
        } else {
            later(asked, failed.reason() + ": " + failed.detail(), this::ask);
        }
    }

    /** Tries something once more, after a while. */
    private void later(Replica whom, String why, Runnable again) {
        owner.waits(whom.member().name() + ": " + why);
        later(again);
    }

    private void later(Runnable again) {
        retry = again;
        long wait = ++waits;
        scheduler.after(nextWait, () -> serial.execute(() -> tryAgain(wait)));
        Duration twice = nextWait.multipliedBy(2);
        nextWait = twice.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : twice;
    }

    private void tryAgain(long wait) {
        Runnable again = retry;
        if (again != null && wait == waits && !cancelled) {
            retry = null;
            again.run();
        }
    }

    private void keep(ReplicaAnswer.Page page) {
        List<Entry> mine = new ArrayList<>();
        for (Entry entry : page.entries()) {
            if (!around) {
                given.add(entry.key());
            }
            if (own.holds(entry)) {
                mine.add(entry);
            }
        }
        write(mine, this::ask, () -> goOn(page));
    }

    /** Writes entries, and goes on in a task of its own when they are durable. */
    private void write(List<Entry> entries, Runnable again, Runnable then) {
        AtomicInteger left = new AtomicInteger(entries.size() + 1);
        AtomicReference<@Nullable StorageException> failure = new AtomicReference<>();
        Runnable oneLess =
                () -> {
                    if (left.decrementAndGet() == 0) {
                        serial.execute(() -> written(entries.size(), failure.get(), again, then));
                    }
                };
        WriteCompletion completion =
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        oneLess.run();
                    }

                    @Override
                    public void storedBesideDamage(StorageException cause) {
                        oneLess.run(); // which is to be healed by it
                    }

                    @Override
                    public void failed(StorageException cause) {
                        failure.set(cause);
                        oneLess.run();
                    }
                };
        for (Entry entry : entries) {
            store.write(entry, completion);
        }
        oneLess.run();
    }

    private void written(
            int entries, @Nullable StorageException failure, Runnable again, Runnable then) {
        if (cancelled) {
            return;
        }
        if (failure != null) {
            later(local, String.valueOf(failure.getMessage()), again);
            return;
        }
        nextWait = FIRST_WAIT;
        count(entries);
        then.run();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One task at a time.
    private void count(int entries) {
        written += entries;
    }

    private void goOn(ReplicaAnswer.Page page) {
        if (!page.last()) {
            byte[] reached = KeyRange.after(page.entries().getLast().key());
            if (bounded || around) {
                at = reached;
                ask();
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
            ask();
        } else if (around || damaged.isEmpty()) {
            endWindow();
        } else {
            considerDamaged();
        }
    }

    // ---- Where others are damaged as well.

    private void considerDamaged() {
        hear(this::considerDamaged, this::onMemberStates);
    }

    private void onMemberStates(Map<Member, MemberState> news) {
        Map<Member, MemberState> sound = new LinkedHashMap<>(news);
        List<Member> without = damaged.stream().map(Replica::member).toList();
        without.forEach(sound::remove);
        if (owner.goesOnWithout(without, sound)) {
            around = true;
            toAsk.addAll(damaged);
            askNext();
        } else {
            later(
                    () -> {
                        toAsk.addAll(damaged);
                        damaged.clear();
                        askNext();
                    });
        }
    }

    /**
     * Asks all peers how they are.
     *
     * @param again what is tried later if one does not say
     */
    private void hear(Runnable again, Consumer<Map<Member, MemberState>> then) {
        hear(0, new LinkedHashMap<>(), again, then);
    }

    private void hear(
            int index,
            Map<Member, MemberState> news,
            Runnable again,
            Consumer<Map<Member, MemberState>> then) {
        if (index == peers.size()) {
            then.accept(news);
            return;
        }
        Replica peer = peers.get(index);
        int number = peer.member().number();
        peer.ask(
                new ReplicaRequest.Announce(local.member().number(), progress.stateFor(number)),
                ticker.nanos() + DEADLINE.toNanos(),
                answer ->
                        serial.execute(
                                () -> {
                                    if (cancelled) {
                                        return;
                                    }
                                    if (answer
                                            instanceof ReplicaAnswer.Announced(MemberState told)) {
                                        progress.heard(number, told);
                                        news.put(peer.member(), told);
                                        hear(index + 1, news, again, then);
                                    } else {
                                        later(peer, "it does not say how it is", again);
                                    }
                                }));
    }

    // ---- The end of a window.

    /**
     * Deletes what was deleted. What every member had and none has now was; its tombstone was
     * dropped, and here it was lost with the damage. In its place comes one with the entry's own
     * timestamp, which beats it. What is settled is asked after all have said what they have:
     * whoever has dropped a tombstone before that knew by then that it was. Where a member lost its
     * disk nothing is concluded: the entry may have been its own as well.
     */
    private void endWindow() {
        List<Entry> unknown;
        try {
            unknown = unknownElsewhere();
        } catch (StorageException e) {
            later(local, String.valueOf(e.getMessage()), this::endWindow);
            return;
        }
        if (unknown.isEmpty()) {
            nextWindow();
            return;
        }
        hear(
                this::endWindow,
                news -> {
                    long gcWatermarkMillis = store.statistics().collectedUpTo().wallMillis();
                    for (MemberState each : news.values()) {
                        if (!each.condition().votes()) {
                            nextWindow();
                            return;
                        }
                        gcWatermarkMillis = Math.max(gcWatermarkMillis, each.gcWatermarkMillis());
                    }
                    long settled = gcWatermarkMillis;
                    write(
                            unknown.stream()
                                    .filter(each -> each.timestamp().wallMillis() < settled)
                                    .toList(),
                            this::endWindow,
                            this::nextWindow);
                });
    }

    /**
     * For each entry that this node has and no other knows the key of: what would delete it. Where
     * peers are damaged, only if one that is sound was to hold it as well: of what the others have
     * lost nothing is known.
     */
    private List<Entry> unknownElsewhere() {
        List<CommonOwnership> withSound =
                peers.stream()
                        .filter(peer -> !damaged.contains(peer))
                        .map(peer -> own.with(peer.member()))
                        .toList();
        List<Entry> tombstones = new ArrayList<>();
        if (withSound.isEmpty()) {
            return tombstones;
        }
        try (EntryCursor readable = store.scanReadable(windowStart, windowEnd)) {
            while (readable.next()) {
                if (given.contains(readable.key())) {
                    continue;
                }
                Entry entry = readable.entry();
                boolean isKnownOf =
                        damaged.isEmpty()
                                || withSound.stream().anyMatch(shared -> shared.holds(entry));
                if (!entry.isTombstone() && own.holds(entry) && isKnownOf) {
                    tombstones.add(Entry.tombstone(entry.key(), entry.timestamp(), entry.from()));
                }
            }
        }
        return tombstones;
    }

    private void nextWindow() {
        owner.goesOn();
        byte[] end = windowEnd;
        if (end == null || Arrays.equals(end, range.end())) {
            owner.done();
            return;
        }
        given.clear();
        damaged.clear();
        around = false;
        bounded = false;
        windowStart = end;
        windowEnd = range.end();
        toAsk.addAll(peers);
        askNext();
    }
}
