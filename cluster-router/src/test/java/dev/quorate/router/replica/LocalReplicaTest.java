package dev.quorate.router.replica;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.Digest;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.ReplicaRequest.Origin;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What a replica makes of a past that is closed. */
class LocalReplicaTest {

    private static final long SLACK_MILLIS = 60_000;
    private static final byte[] KEY = "key".getBytes(US_ASCII);

    private final ManualTime time = new ManualTime();
    private final MemoryStore store = new MemoryStore();
    private Executor blockingReads = Runnable::run;
    private long gcWatermarkMillis;
    private long nanosForEachLook;
    private long lookedNanos;
    private final LocalReplica replica =
            new LocalReplica(
                    Topology.parse("n1=http://a:1").members().getFirst(),
                    store,
                    HybridClock.volatileClock(time, 1, Duration.ofMillis(500)),
                    new Ticker() {
                        @Override
                        public long nanos() {
                            lookedNanos += nanosForEachLook;
                            return time.nanos() + lookedNanos;
                        }

                        @Override
                        public long wallMillis() {
                            return time.wallMillis();
                        }
                    },
                    new Deadlines(time, time),
                    task -> blockingReads.execute(task),
                    new MemberServices(
                            Runnable::run,
                            PlainReplica.NO_PEERS,
                            key -> new Failed(Failure.REFUSED, "nothing is inquired here"),
                            new Horizon() {
                                @Override
                                public long gcWatermarkMillis() {
                                    return gcWatermarkMillis;
                                }

                                @Override
                                public long oldestWriteMillis(long nowMillis) {
                                    return nowMillis - SLACK_MILLIS;
                                }
                            }));

    private Timestamp ago(long millis) {
        return Timestamp.of(time.wallMillis() - millis, 0, 1);
    }

    private ReplicaAnswer ask(ReplicaRequest request) {
        List<ReplicaAnswer> answers = new ArrayList<>();
        replica.ask(request, time.nanos() + lookedNanos + 1_000_000_000, answers::add);
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    private static Entry value(Timestamp timestamp) {
        return Entry.value(KEY, timestamp, KEY, 3);
    }

    @Test
    void aClientsWriteThatIsOlderThanMayBeOnItsWayIsNotTaken() {
        Timestamp oldest = ago(SLACK_MILLIS);
        assertThat(ask(new ReplicaRequest.Write(value(oldest))))
                .isEqualTo(new ReplicaAnswer.Stored(oldest));
        Entry older = Entry.value("older".getBytes(US_ASCII), ago(SLACK_MILLIS + 1), KEY, 3);
        assertThat(ask(new ReplicaRequest.Write(older)))
                .isInstanceOfSatisfying(
                        Failed.class,
                        failed -> {
                            assertThat(failed.reason()).isEqualTo(Failure.TOO_OLD);
                            assertThat(failed.detail())
                                    .isEqualTo(
                                            "the entry was stamped at 2025-12-31T23:58:59.999Z, and"
                                                    + " a newer tombstone may have been dropped");
                        });
        assertThat(ask(new ReplicaRequest.Read(older.key())))
                .isEqualTo(ReplicaAnswer.Absent.ABSENT);
        // Another replica has it, so it was taken in its time.
        assertThat(ask(ReplicaRequest.Write.copyOf(older)))
                .isEqualTo(new ReplicaAnswer.Stored(older.timestamp()));
    }

    /** But as a hint it is as old as its root: a tombstone that supersedes it may be dropped. */
    @Test
    void theAgeOfAConditionalWriteIsThatOfItsStep() {
        Timestamp young = ago(10 * SLACK_MILLIS).withStep(ago(SLACK_MILLIS).hybrid());
        assertThat(ask(ReplicaRequest.Write.copyOf(value(young))))
                .isEqualTo(new ReplicaAnswer.Stored(young));
        assertThat(ask(new ReplicaRequest.Write(value(young))))
                .isInstanceOfSatisfying(
                        Failed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(Failure.TOO_OLD));
        Timestamp ahead = ago(0).withStep(ago(-1_000).hybrid());
        assertThat(ask(new ReplicaRequest.Write(value(ahead))))
                .isInstanceOfSatisfying(
                        Failed.class,
                        failed ->
                                assertThat(failed.detail())
                                        .isEqualTo(
                                                "the entry is 1000 ms ahead of this node's clock"));
        Entry tombstone = Entry.tombstone(KEY, young.withStep(ago(2_000).hybrid()), 3);
        ask(ReplicaRequest.Write.copyOf(tombstone));
        gcWatermarkMillis = time.wallMillis() - 2_000;
        assertThat(ask(new ReplicaRequest.Read(KEY))).isEqualTo(new ReplicaAnswer.Found(tombstone));
        gcWatermarkMillis++;
        assertThat(ask(new ReplicaRequest.Read(KEY))).isEqualTo(ReplicaAnswer.Absent.ABSENT);
    }

    /** Whether the version is another's may only be on the disk. */
    @Test
    void aVersionThatIsTakenIsRefusedWhereverItLies() {
        Entry held = value(ago(1_000));
        Entry other = Entry.value(KEY, held.timestamp(), "other".getBytes(US_ASCII), 3);
        ask(new ReplicaRequest.Write(held));
        for (boolean evicted : new boolean[] {false, true}) {
            store.evictAll(evicted);
            assertThat(ask(new ReplicaRequest.Write(other, Origin.GIVEN)))
                    .isInstanceOfSatisfying(
                            Failed.class,
                            failed -> assertThat(failed.reason()).isEqualTo(Failure.VERSION_TAKEN));
            assertThat(ask(new ReplicaRequest.Write(held, Origin.GIVEN)))
                    .isEqualTo(new ReplicaAnswer.Stored(held.timestamp()));
            assertThat(ask(new ReplicaRequest.Read(KEY))).isEqualTo(new ReplicaAnswer.Found(held));
        }
    }

    @Test
    void theCheckOfAVersionIsSubjectToTheDeadline() {
        List<Runnable> waiting = new ArrayList<>();
        blockingReads = waiting::add;
        store.evictAll(true);
        Entry first = value(ago(1_000));
        List<ReplicaAnswer> answers = new ArrayList<>();
        ReplicaRequest request = new ReplicaRequest.Write(first, Origin.GIVEN);
        replica.ask(request, time.nanos() + 1_000_000_000, answers::add);
        assertThat(answers).isEmpty();
        time.advanceMillis(1_100);
        assertThat(answers)
                .singleElement()
                .isInstanceOfSatisfying(
                        Failed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(Failure.TIMEOUT));
        // It is under way until the disk has answered, and is not stored then.
        Entry other = Entry.value(KEY, first.timestamp(), "other".getBytes(US_ASCII), 3);
        ReplicaRequest second = new ReplicaRequest.Write(other, Origin.GIVEN);
        assertThat(((Failed) ask(second)).reason()).isEqualTo(Failure.VERSION_TAKEN);
        waiting.forEach(Runnable::run);
        blockingReads = Runnable::run;
        assertThat(ask(second)).isEqualTo(new ReplicaAnswer.Stored(other.timestamp()));
        assertThat(ask(new ReplicaRequest.Read(KEY))).isEqualTo(new ReplicaAnswer.Found(other));
    }

    @Test
    void aSettledTombstoneIsReadAsIfItWereGone() {
        Entry tombstone = Entry.tombstone(KEY, ago(1_000), 3);
        ask(new ReplicaRequest.Write(tombstone));
        gcWatermarkMillis = tombstone.timestamp().wallMillis(); // what is before that
        for (boolean evicted : new boolean[] {false, true}) {
            store.evictAll(evicted);
            assertThat(ask(new ReplicaRequest.Read(KEY)))
                    .isEqualTo(new ReplicaAnswer.Found(tombstone));
        }
        assertThat(ask(new ReplicaRequest.ScanPage(new byte[0], null, 1_000)))
                .isEqualTo(new ReplicaAnswer.Page(List.of(tombstone), true));

        gcWatermarkMillis++;
        for (boolean evicted : new boolean[] {false, true}) {
            store.evictAll(evicted);
            assertThat(ask(new ReplicaRequest.Read(KEY))).isEqualTo(ReplicaAnswer.Absent.ABSENT);
        }
        assertThat(ask(new ReplicaRequest.ScanPage(new byte[0], null, 1_000)))
                .isEqualTo(new ReplicaAnswer.Page(List.of(), true));
    }

    /** Values that would fill a page, or are longer than one, take no room in a page of keys. */
    @Test
    void aPageOfKeysHasNoValuesAndKeepsTheRest() {
        List<Entry> expected = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            byte[] value = new byte[500 << i];
            Entry entry = Entry.expiring(number(i), ago(i), value, 3, time.wallMillis() + 60_000);
            ask(new ReplicaRequest.Write(entry.withContentType("text/plain")));
            Entry bare =
                    Entry.expiring(entry.key(), ago(i), new byte[0], 3, entry.expiresAtMillis());
            expected.add(bare.withContentType("text/plain"));
        }
        Entry tombstone = Entry.tombstone(number(3), ago(0), 3);
        ask(new ReplicaRequest.Write(tombstone));
        expected.add(tombstone);

        for (boolean evicted : new boolean[] {false, true}) {
            store.evictAll(evicted);
            assertThat(
                            ask(
                                    new ReplicaRequest.ScanPage(
                                            new byte[0], null, 800, KeyOrder.ASCENDING, true)))
                    .isEqualTo(new ReplicaAnswer.Page(expected, true));
        }
        assertThat(ask(new ReplicaRequest.ScanPage(new byte[0], null, 400)))
                .isEqualTo(new ReplicaAnswer.Page(expected.subList(0, 1), false, true));
        assertThat(store.valuesRead()).isZero();
    }

    @Test
    void aPageOverTombstonesEndsByTime() {
        gcWatermarkMillis = time.wallMillis();
        for (int i = 0; i < 1_000; i++) {
            ask(new ReplicaRequest.Write(Entry.tombstone(number(i), ago(1_000), 3)));
        }
        Entry last = Entry.value(number(1_000), ago(1_000), KEY, 3);
        ask(new ReplicaRequest.Write(last));
        nanosForEachLook = 20_000_000;
        List<Entry> found = new ArrayList<>();
        byte[] from = new byte[0];
        int pages = 1;
        while (ask(new ReplicaRequest.ScanPage(from, null, 1_000_000))
                        instanceof ReplicaAnswer.Page page
                && !page.last()) {
            found.addAll(page.entries());
            from = Arrays.copyOf(page.entries().getLast().key(), 5);
            pages++;
        }
        assertThat(pages).isEqualTo(4);
        assertThat(found).hasSize(3).allMatch(Entry::isTombstone);
        assertThat(ask(new ReplicaRequest.ScanPage(from, null, 1_000_000)))
                .isEqualTo(new ReplicaAnswer.Page(List.of(last), true));
    }

    private static byte[] number(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    @Test
    void aLongValueIsAnsweredWithADigest() {
        Entry longest = Entry.value(KEY, ago(2), new byte[Digest.SHORT_VALUE_BYTES], 3);
        Entry longer = Entry.value(KEY, ago(1), new byte[Digest.SHORT_VALUE_BYTES + 1], 3);
        ReplicaRequest asking = new ReplicaRequest.ReadDigest(KEY);
        assertThat(ask(asking)).isEqualTo(ReplicaAnswer.Absent.ABSENT);
        ask(new ReplicaRequest.Write(longest));
        assertThat(ask(asking)).isEqualTo(new ReplicaAnswer.Found(longest));
        ask(new ReplicaRequest.Write(longer));
        for (boolean evicted : new boolean[] {false, true}) {
            store.evictAll(evicted);
            assertThat(ask(asking)).isEqualTo(new ReplicaAnswer.Digested(Digest.of(longer)));
        }
        Entry tombstone = Entry.tombstone(KEY, ago(0), 3);
        ask(new ReplicaRequest.Write(tombstone));
        store.evictAll(false);
        assertThat(ask(asking)).isEqualTo(new ReplicaAnswer.Found(tombstone));
    }

    @Test
    void aValueIsNeverSettledAway() {
        gcWatermarkMillis = time.wallMillis() + 1;
        Entry value = value(ago(1_000));
        ask(new ReplicaRequest.Write(value));
        assertThat(ask(new ReplicaRequest.Read(KEY))).isEqualTo(new ReplicaAnswer.Found(value));
    }
}
