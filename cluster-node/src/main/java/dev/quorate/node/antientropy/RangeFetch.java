package dev.quorate.node.antientropy;

import dev.quorate.node.clock.Scheduler;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.message.MemberNews;
import dev.quorate.node.message.PeerCodec;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
 * later, until it does: the fetch has no end before every peer has given all that it has.
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
    private final Shared own;
    private final KeyRange range;
    private final Neighbours neighbours;
    private final int self;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Executor serial;
    private final Pace pace;
    private final Consumer<String> waits;
    private final Runnable done;

    // Of the serial tasks alone.
    private byte[] windowStart;
    private byte @Nullable [] windowEnd;
    private byte[] at;
    private int peer;
    private final Set<byte[]> given = new TreeSet<>(Arrays::compareUnsigned);
    private Duration nextWait = FIRST_WAIT;

    private volatile boolean cancelled;
    private volatile long written;

    /**
     * @param peers all that may have something of the range; at least one
     * @param own what this node is to hold: those shared with itself
     * @param waits told why it waits, each time that it does
     * @param done told, in a task of the serial executor, when all is written
     */
    RangeFetch(
            PeerRepair.Surroundings node,
            long bytesPerSecond,
            List<Replica> peers,
            Shared own,
            KeyRange range,
            Consumer<String> waits,
            Runnable done) {
        this.store = node.store();
        this.ticker = node.ticker();
        this.scheduler = node.scheduler();
        this.serial = node.serial();
        this.pace = new Pace(bytesPerSecond, ticker.nanos());
        this.peers = List.copyOf(peers);
        this.own = own;
        this.range = range;
        this.neighbours = node.neighbours();
        this.self = node.local().member().number();
        this.waits = waits;
        this.done = done;
        this.windowStart = range.start();
        this.windowEnd = range.end();
        this.at = range.start();
    }

    void start() {
        serial.execute(this::ask);
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
        peers.get(peer)
                .ask(
                        new ReplicaRequest.ScanPage(at, end, PAGE_BYTES),
                        ticker.nanos() + DEADLINE.toNanos(),
                        answer -> serial.execute(() -> answered(answer)));
    }

    private void answered(ReplicaAnswer answer) {
        if (cancelled) {
            return;
        }
        pace.spend(PeerCodec.answerBytes(answer), ticker.nanos());
        switch (answer) {
            case ReplicaAnswer.Page page -> keep(page);
            case ReplicaAnswer other -> later(other.failure());
        }
    }

    /** Asks the same once more, after a while. */
    private void later(Failed failed) {
        later(peers.get(peer), failed.reason() + ": " + failed.detail());
    }

    private void later(Replica whom, String why) {
        waits.accept(whom.member().name() + ": " + why);
        scheduler.after(nextWait, () -> serial.execute(this::ask));
        Duration twice = nextWait.multipliedBy(2);
        nextWait = twice.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : twice;
    }

    private void keep(ReplicaAnswer.Page page) {
        List<Entry> mine = new ArrayList<>();
        for (Entry entry : page.entries()) {
            given.add(entry.key());
            if (own.holds(entry)) {
                mine.add(entry);
            }
        }
        write(mine, () -> goOn(page));
    }

    /** Writes entries, and goes on in a task of its own when they are durable. */
    private void write(List<Entry> entries, Runnable then) {
        AtomicInteger left = new AtomicInteger(entries.size() + 1);
        AtomicReference<@Nullable StorageException> failure = new AtomicReference<>();
        Runnable oneLess =
                () -> {
                    if (left.decrementAndGet() == 0) {
                        serial.execute(() -> written(entries.size(), failure.get(), then));
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

    private void written(int entries, @Nullable StorageException failure, Runnable then) {
        if (cancelled) {
            return;
        }
        if (failure != null) {
            waits.accept("this node's store: " + failure.getMessage());
            scheduler.after(nextWait, () -> serial.execute(this::ask));
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
            if (peer > 0) {
                at = reached;
                ask();
                return;
            }
            windowEnd = reached;
        }
        peer++;
        at = windowStart;
        if (peer < peers.size()) {
            ask();
        } else {
            endWindow();
        }
    }

    private void endWindow() {
        // Should something fail here, the last peer is asked once more.
        peer = peers.size() - 1;
        at = windowStart;
        List<Entry> deleted;
        try {
            deleted = unknownElsewhere();
        } catch (StorageException e) {
            later(peers.getLast(), "this node's store: " + e.getMessage());
            return;
        }
        if (deleted.isEmpty()) {
            nextWindow();
        } else {
            hear(0, store.statistics().collectedUpTo().wallMillis(), deleted);
        }
    }

    /** For each entry that this node has and no other knows the key of: what would delete it. */
    private List<Entry> unknownElsewhere() {
        List<Entry> tombstones = new ArrayList<>();
        try (EntryCursor readable = store.scanReadable(windowStart, windowEnd)) {
            while (readable.next()) {
                if (given.contains(readable.key())) {
                    continue;
                }
                Entry entry = readable.entry();
                if (!entry.isTombstone() && own.holds(entry)) {
                    tombstones.add(Entry.tombstone(entry.key(), entry.timestamp(), entry.from()));
                }
            }
        }
        return tombstones;
    }

    /**
     * Asks what is settled, after all have said what they have: whoever has dropped a tombstone
     * before that knew by then that it was. What every member had and none has now was deleted; its
     * tombstone was dropped, and here it was lost with the damage. In its place comes one with the
     * entry's own timestamp, which beats it. Where a member lost its disk nothing is concluded: the
     * entry may have been its own as well.
     *
     * @param settledMillis of this node and of the peers before {@code index}
     */
    private void hear(int index, long settledMillis, List<Entry> unknown) {
        if (index == peers.size()) {
            List<Entry> deleted =
                    unknown.stream()
                            .filter(each -> each.timestamp().wallMillis() < settledMillis)
                            .toList();
            write(deleted, this::nextWindow);
            return;
        }
        Replica asked = peers.get(index);
        asked.ask(
                new ReplicaRequest.Announce(self, neighbours.newsFor(asked.member().number())),
                ticker.nanos() + DEADLINE.toNanos(),
                answer -> serial.execute(() -> heard(index, settledMillis, unknown, answer)));
    }

    private void heard(int index, long settledMillis, List<Entry> unknown, ReplicaAnswer answer) {
        if (cancelled) {
            return;
        }
        Replica asked = peers.get(index);
        if (!(answer instanceof ReplicaAnswer.Announced(MemberNews news))) {
            later(asked, "it does not say how it is");
            return;
        }
        neighbours.heard(asked.member().number(), news);
        if (news.condition().votes()) {
            hear(index + 1, Math.max(settledMillis, news.settledMillis()), unknown);
        } else {
            nextWindow();
        }
    }

    private void nextWindow() {
        byte[] end = windowEnd;
        if (end == null || Arrays.equals(end, range.end())) {
            done.run();
            return;
        }
        given.clear();
        windowStart = end;
        windowEnd = range.end();
        at = end;
        peer = 0;
        ask();
    }
}
