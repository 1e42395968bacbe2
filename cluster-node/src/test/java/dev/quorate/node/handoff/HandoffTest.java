package dev.quorate.node.handoff;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.handoff.Survey.Dropped;
import dev.quorate.router.Topologies;
import dev.quorate.router.background.JobDriver;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreClocks;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.simulated.FaultyDisk;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** One node's hints, on a disk in memory and in time that is moved by hand. */
class HandoffTest {

    private static final Path HINTS = Path.of("/data/hints");
    private static final StorageOptions NODE =
            StorageOptions.defaults()
                    .withMemtableBytes(16 << 10)
                    .withSegmentBytes(32 << 10)
                    .withReservedDiskBytes(0);

    private final ManualTime time = new ManualTime();
    private final Topology topology = topology("n1", "n2", "n3");
    private final Other n2 = new Other("n2");
    private final Other n3 = new Other("n3");
    private final ByteBudget largeValues = new ByteBudget(1 << 20);
    private FaultyDisk disk = new FaultyDisk();
    private boolean busy;
    private int tasks;
    private int stamps;
    private final EventLog events = new EventLog(time);
    private Handoff handoff = started(options(), topology, n2, n3);

    private static Topology topology(String... names) {
        List<Member> members = new ArrayList<>();
        for (String name : names) {
            members.add(
                    new Member(name, URI.create("http://localhost:" + (8080 + members.size()))));
        }
        return new Topology(members);
    }

    private static HandoffOptions options() {
        return new HandoffOptions(Duration.ofHours(3), 1 << 20, 0, 1 << 18);
    }

    private Handoff started(HandoffOptions options, Topology members, Other... others) {
        FaultyDisk own = disk;
        Handoff made =
                new Handoff(
                        options,
                        own,
                        HINTS,
                        listener ->
                                LsmStore.open(
                                        own,
                                        HINTS,
                                        Handoff.storeOptions(NODE),
                                        StoreExecutors.inPlace(
                                                (millis, task) ->
                                                        time.after(
                                                                Duration.ofMillis(millis), task)),
                                        new StoreClocks(time::nanos, time::wallMillis),
                                        listener),
                        Topologies.live(new Ring(members)),
                        new NodeRuntime(time, time, new SplittableRandom(1), this::read, events),
                        largeValues);
        List<Handoff.Destination> destinations = new ArrayList<>();
        for (Other other : others) {
            destinations.add(new Handoff.Destination(other, () -> other.up));
        }
        made.start(destinations);
        return made;
    }

    private void read(Runnable task) {
        if (busy) {
            throw new RejectedExecutionException();
        }
        tasks++;
        time.after(Duration.ofNanos(100_000), task);
    }

    private Entry write(int key, String value) {
        Timestamp timestamp = Timestamp.of(time.wallMillis(), ++stamps, 1);
        return Entry.value(
                ("key" + key).getBytes(US_ASCII), timestamp, value.getBytes(US_ASCII), 3);
    }

    private Entry miss(Other by, int key, String value) {
        Entry write = write(key, value);
        handoff.missed(by.member, write);
        return write;
    }

    private void seconds(int seconds) {
        time.advance(Duration.ofSeconds(seconds));
    }

    private long pending(Other other) {
        return handoff.statistics().targets().stream()
                .filter(target -> target.member().equals(other.member.name()))
                .mapToLong(HandoffStatistics.OfTarget::pendingBytes)
                .sum();
    }

    private long dropped(Dropped reason) {
        return handoff.statistics().dropped().get(reason.name().toLowerCase(Locale.ROOT));
    }

    private boolean hasStore() {
        return disk.exists(HINTS.resolve(FileNames.CURRENT));
    }

    @Test
    void aNodeWithoutHintsHasNoStore() {
        seconds(100);
        assertThat(disk.list(HINTS)).isEmpty();
        assertThat(disk.steps()).isZero();
    }

    @Test
    void aMissedWriteIsReplayedUnchangedWhenTheReplicaIsBack() {
        n2.up = false;
        Entry value = miss(n2, 1, "one");
        Entry expiring =
                Entry.expiring(
                        "key2".getBytes(US_ASCII),
                        Timestamp.of(time.wallMillis(), 77, 3),
                        new byte[100],
                        2,
                        time.wallMillis() + 1);
        Entry deleted =
                Entry.tombstone(
                        "key3".getBytes(US_ASCII), Timestamp.of(time.wallMillis(), 78, 3), 3);
        handoff.missed(n2.member, expiring);
        handoff.missed(n2.member, deleted);
        seconds(60);
        assertThat(n2.asked).isEmpty();
        assertThat(pending(n2)).isPositive();

        n2.up = true;
        seconds(5);
        List<Entry> sent = new ArrayList<>(List.of(value, deleted));
        boolean isReplica =
                new Ring(topology)
                        .replicas(expiring.key(), 2).stream()
                                .anyMatch(member -> member.name().equals("n2"));
        assertThat(isReplica).isTrue();
        sent.add(1, expiring);
        assertThat(n2.asked).containsExactlyElementsOf(sent);
        assertThat(n3.asked).isEmpty();
        assertThat(pending(n2)).isZero();
        seconds(200);
        assertThat(n2.asked).as("sent once").hasSize(sent.size());
        assertThat(events.since(0).stream().map(EventLog.Event::text))
                .containsExactly("n2 has the writes that it missed: 3");
    }

    @Test
    void theHintsOfAKeyAreReported() {
        n2.up = false;
        byte[] key = "key1".getBytes(US_ASCII);
        assertThat(handoff.hintedMembers(key)).isEmpty();
        Entry kept = miss(n2, 1, "one");
        miss(n2, 11, "of another key");
        // The store of hints is being opened: nobody can say.
        assertThat(handoff.hintedMembers(key)).isNull();
        seconds(1);
        assertThat(handoff.hintedMembers(key)).containsExactly(Map.entry("n2", kept.timestamp()));
        assertThat(handoff.hintedMembers("key2".getBytes(US_ASCII))).isEmpty();
        n2.up = true;
        seconds(5);
        assertThat(handoff.hintedMembers(key)).isEmpty();
    }

    @Test
    void whetherAHintWouldBeStoredIsReported() {
        Entry write = write(1, "value");
        assertThat(handoff.isKept(n2.member, write)).isTrue();
        assertThat(handoff.isKept(n2.member, write(1, "x".repeat(1 << 18)))).isFalse();
        seconds(3 * 60 * 60);
        assertThat(handoff.isKept(n2.member, write)).as("too old").isFalse();
        Handoff off = started(new HandoffOptions(Duration.ZERO, 1 << 20, 0, 1 << 18), topology, n2);
        assertThat(off.isKept(n2.member, write(1, "value"))).isFalse();
    }

    @Test
    void ofSeveralWritesOfAKeyOnlyTheNewestIsSent() {
        n2.up = false;
        Entry first = miss(n2, 1, "first");
        Entry second = miss(n2, 1, "second");
        handoff.missed(n2.member, first);
        n2.up = true;
        seconds(5);
        assertThat(n2.asked).containsExactly(second);
    }

    @Test
    void aNewerWriteThatIsMissedWhileAnOlderOneIsSentIsSentAsWell() {
        n2.up = false;
        miss(n2, 1, "older");
        n2.up = true;
        Entry[] newer = new Entry[1];
        n2.beforeAnswer =
                () -> {
                    n2.beforeAnswer = () -> {};
                    newer[0] = miss(n2, 1, "newer");
                };
        seconds(20);
        assertThat(n2.held).containsEntry("key1", newer[0]);
    }

    @Test
    void anEmptyStoreIsDeletedAfterAWhileAndMadeAgainWhenNeeded() {
        miss(n2, 1, "x");
        time.advanceMillis(1);
        assertThat(hasStore()).isTrue();
        seconds(5);
        assertThat(n2.held).hasSize(1);
        seconds(100);
        assertThat(disk.list(HINTS)).isEmpty();
        miss(n3, 2, "y");
        seconds(5);
        assertThat(n3.held).hasSize(1);
    }

    @Test
    void hintsThatAreOlderThanTheWindowAreNotSentAndTakeNoDisk() {
        n2.up = false;
        miss(n2, 1, "x");
        time.advance(Duration.ofHours(3));
        n2.up = true;
        seconds(10);
        assertThat(n2.asked).isEmpty();
        seconds(1_000);
        assertThat(pending(n2)).isZero();
        assertThat(disk.list(HINTS)).isEmpty();
        Entry old = Entry.tombstone(new byte[] {1}, Timestamp.of(1, 1, 1), 3);
        handoff.missed(n2.member, old);
        assertThat(dropped(Dropped.AGE)).isEqualTo(1);
    }

    /** A tombstone between root and step may be older than the step, and may be dropped. */
    @Test
    void aConditionalWriteIsAsOldAsWhatItReplaced() {
        Entry plain = write(1, "x");
        time.advance(Duration.ofHours(3));
        Timestamp step = plain.timestamp().withStep(write(1, "y").timestamp().hybrid());
        handoff.missed(n2.member, Entry.value(plain.key(), step, plain.value(), 3));
        assertThat(dropped(Dropped.AGE)).isEqualTo(1);
        assertThat(pending(n2)).isZero();
    }

    @Test
    void hintsOfAReplicaThatStaysDownExpire() {
        n2.up = false;
        miss(n2, 1, "x");
        time.advance(Duration.ofHours(4));
        assertThat(pending(n2)).isZero();
        assertThat(hasStore()).isFalse();
    }

    /**
     * So the store is never empty, and is not deleted. Before, a mark of each hint stayed in it.
     */
    @Test
    void whileAReplicaStaysAwayTheDiskHasRoomForAWindowAlone() {
        handoff.close();
        disk = new FaultyDisk();
        Duration window = Duration.ofMinutes(10);
        HandoffOptions options = new HandoffOptions(window, 1 << 20, 0, 1 << 18);
        handoff = started(options, topology, n2, n3);
        n2.up = false;
        int key = 0;
        long usedBytes = 0;
        for (int minute = 0; minute < 12 * 60; minute++) {
            for (int i = 0; i < 20; i++) {
                miss(n2, key++, "expires");
                miss(n3, key++, "is sent");
                seconds(3);
            }
            if (minute < 60) {
                usedBytes = Math.max(usedBytes, disk.usedBytes());
            }
        }
        assertThat(n3.held).hasSizeBetween(key / 2 - 200, key / 2);
        assertThat(pending(n2)).isPositive();
        assertThat(disk.usedBytes()).isLessThan(2 * usedBytes);
    }

    @Test
    void hintsForOneReplicaAreBounded() {
        n2.up = false;
        for (int i = 0; i < 400; i++) {
            miss(n2, i, "x".repeat(10_000));
            time.advanceMillis(10);
        }
        assertThat(pending(n2)).isBetween(900_000L, 1L << 20);
        assertThat(dropped(Dropped.LIMIT)).isBetween(290L, 310L);
        long used = disk.usedBytes();
        assertThat(used).isLessThan(3 << 20);
        Entry other = miss(n3, 7, "there is room for another");
        seconds(10);
        assertThat(n3.held).containsEntry("key7", other);
        n2.up = true;
        seconds(60);
        assertThat(n2.held).hasSize(400 - (int) dropped(Dropped.LIMIT));
    }

    /** The same key again and again counts again and again, until it is counted anew. */
    @Test
    void aSurveyCorrectsTheCount() {
        n2.up = false;
        for (int i = 0; i < 400; i++) {
            miss(n2, 1, "x".repeat(10_000));
            time.advanceMillis(10);
        }
        assertThat(dropped(Dropped.LIMIT)).isPositive();
        seconds(130);
        assertThat(pending(n2)).isBetween(10_000L, 20_000L);
        Entry last = miss(n2, 1, "last");
        n2.up = true;
        seconds(10);
        assertThat(n2.held).containsEntry("key1", last);
    }

    @Test
    void aWriteThatIsTooLargeGetsNoHint() {
        n2.up = false;
        miss(n2, 1, "x".repeat(1 << 18));
        assertThat(dropped(Dropped.LIMIT)).isEqualTo(1);
        assertThat(largeValues.tryReserve(1 << 20)).isTrue();
        miss(n2, 2, "x".repeat(100 << 10));
        assertThat(dropped(Dropped.ROOM)).isEqualTo(1);
        largeValues.release(1 << 20);
        miss(n2, 2, "x".repeat(100 << 10));
        time.advanceMillis(10);
        assertThat(largeValues.usedBytes()).isZero();
        n2.up = true;
        seconds(5);
        assertThat(n2.held.get("key2").valueBytes()).isEqualTo(100 << 10);
    }

    @Test
    void aFailedHintIsSentAgainAndDelaysNoOther() {
        n2.up = false;
        for (int i = 0; i < 2_000; i++) {
            miss(n2, i, "x".repeat(100));
            time.advanceMillis(1);
        }
        n2.refuses = write -> new String(write.key(), US_ASCII).endsWith("7");
        n2.up = true;
        seconds(200);
        assertThat(n2.held).hasSize(1_800);
        assertThat(n2.mostInFlight).isLessThanOrEqualTo(16);
        n2.refuses = write -> false;
        seconds(200);
        assertThat(n2.held).hasSize(2_000);
        assertThat(pending(n2)).isZero();
        HandoffStatistics.OfTarget figures = handoff.statistics().targets().getFirst();
        assertThat(figures.stored()).isEqualTo(2_000);
        assertThat(figures.failed()).isPositive();
    }

    /** A replica that does not want any is asked less and less often. */
    @Test
    void aReplicaThatRefusesIsLeftAloneForLongerAndLonger() {
        n2.refuses = write -> true;
        miss(n2, 1, "x");
        time.advance(Duration.ofMinutes(10));
        assertThat(n2.asked).hasSizeBetween(8, 20);
    }

    @Test
    void theyAreSentAtARate() {
        handoff.close();
        disk = new FaultyDisk();
        handoff =
                started(
                        new HandoffOptions(Duration.ofHours(3), 1 << 20, 50_000, 1 << 18),
                        topology,
                        n2,
                        n3);
        n2.up = false;
        for (int i = 0; i < 80; i++) {
            miss(n2, i, "x".repeat(10_000));
            time.advanceMillis(20);
        }
        n2.up = true;
        seconds(10);
        assertThat(n2.held).hasSizeBetween(30, 60);
        seconds(10);
        assertThat(n2.held).hasSize(80);
    }

    @Test
    void hintsOutliveTheirCoordinator() {
        n2.up = false;
        for (int i = 0; i < 300; i++) {
            miss(n2, i, "x".repeat(200));
        }
        seconds(1);
        disk = disk.afterKill();
        n2.up = true;
        handoff = started(options(), topology, n2, n3);
        seconds(10);
        assertThat(n2.held).hasSize(300);
    }

    /**
     * What is left of an earlier life is counted at a rate, which takes longer here than a life.
     * Before, each life kept as much as the limit once more.
     */
    @Test
    void restartsKeepNoMoreThanTheLimit() {
        HandoffOptions slow = new HandoffOptions(Duration.ofHours(3), 1 << 20, 10_000, 1 << 18);
        n2.up = false;
        n3.up = false;
        Entry other = miss(n3, 7, "of another replica");
        int key = 0;
        for (int life = 0; life < 5; life++) {
            disk = disk.afterKill();
            handoff = started(slow, topology, n2, n3);
            time.advanceMillis(1);
            for (int i = 0; i < 200; i++) {
                miss(n2, key++, "x".repeat(10_000));
                time.advanceMillis(50);
            }
            assertThat(pending(n2)).isBetween(900_000L, 1L << 20);
        }
        assertThat(disk.usedBytes()).isLessThan(3 << 20);
        assertThat(pending(n3)).isLessThan(10_000);
        seconds(300);
        assertThat(pending(n2)).as("counted").isBetween(900_000L, 1L << 20);
        assertThat(pending(n3)).as("counted").isLessThan(100);
        n2.up = true;
        n3.up = true;
        seconds(300);
        assertThat(n2.held).hasSizeBetween(90, 110);
        assertThat(n3.held).containsOnly(Map.entry("key7", other));
        assertThat(pending(n2)).isZero();
    }

    /** Whoever has none is not said to have any, though a block lies where they would be. */
    @Test
    void hintsFromBeforeARestartCountForTheirReplica() {
        n3.up = false;
        for (int i = 0; i < 40; i++) {
            miss(n3, i, "x".repeat(1_000));
        }
        seconds(1);
        handoff.close();
        Other n1 = new Other("n1");
        handoff = started(options(), topology, n1, n2, n3);
        time.advanceMillis(1);
        assertThat(pending(n1)).isZero();
        assertThat(pending(n2)).isZero();
        assertThat(pending(n3)).isBetween(40_000L, 60_000L);
    }

    @Test
    void aPowerLossMayTakeHintsButLeavesAStoreThatWorks() {
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 50; round++) {
            n2.up = false;
            for (int i = 0; i < 20; i++) {
                miss(n2, i, "round " + round);
            }
            time.advanceMillis(random.nextInt(100_000));
            n2.up = random.nextBoolean();
            time.advanceMillis(random.nextInt(100_000));
            disk = disk.afterPowerLoss(FaultyDisk.Keep.SOME, random);
            handoff = started(options(), topology, n2, n3);
        }
        n2.up = true;
        Entry last = miss(n2, 5, "last");
        seconds(200);
        assertThat(n2.held).containsEntry("key5", last);
    }

    @Test
    void hintsForAMemberThatIsGoneAreDropped() {
        n2.up = false;
        miss(n2, 1, "x");
        Entry kept = miss(n3, 2, "y");
        seconds(1);
        handoff.close();
        Topology without = topology("n1", "n3", "n4");
        handoff = started(options(), without, n3, new Other("n4"));
        seconds(10);
        assertThat(n3.held).containsEntry("key2", kept);
        assertThat(dropped(Dropped.TOPOLOGY)).isEqualTo(1);
        seconds(200);
        assertThat(hasStore()).isFalse();
        assertThat(n2.asked).isEmpty();
    }

    /** A running node follows the members of the topology. */
    @Test
    void hintsAreStoredForTheMembersOfTheTopologyInUse() {
        n2.up = false;
        n3.up = false;
        miss(n2, 1, "x");
        Entry kept = miss(n3, 2, "y");
        seconds(1);
        long pending = pending(n3);
        Other n4 = new Other("n4");
        handoff.moveTo(
                List.of(
                        new Handoff.Destination(n3, () -> n3.up),
                        new Handoff.Destination(n4, () -> n4.up)));
        assertThat(pending(n3)).isEqualTo(pending).isPositive();
        miss(n2, 3, "lost");
        n3.up = true;
        seconds(10);
        assertThat(n3.held).containsEntry("key2", kept);
        seconds(200);
        assertThat(dropped(Dropped.TOPOLOGY)).isEqualTo(1);
        assertThat(n2.asked).isEmpty();
        n4.up = false;
        miss(n4, 4, "z");
        assertThat(pending(n4)).isPositive();
    }

    @Test
    void aDirectoryThatIsDamagedIsSetAside() {
        n2.up = false;
        miss(n2, 1, "x");
        seconds(1);
        handoff.close();
        Path current = HINTS.resolve(FileNames.CURRENT);
        disk.replace(current, "nonsense".getBytes(US_ASCII));
        handoff = started(options(), topology, n2, n3);
        seconds(1);
        assertThat(disk.list(Path.of("/data/hints.damaged"))).contains(FileNames.CURRENT);
        Entry next = miss(n2, 2, "y");
        n2.up = true;
        seconds(5);
        assertThat(n2.held).containsOnly(Map.entry("key2", next));
    }

    @Test
    void aFullDiskDropsHintsUntilItHasSpace() {
        disk.setCapacity(1_000);
        miss(n2, 1, "x");
        seconds(1);
        assertThat(dropped(Dropped.ROOM)).isEqualTo(1);
        disk.setCapacity(Long.MAX_VALUE);
        seconds(61);
        Entry next = miss(n2, 2, "y");
        seconds(5);
        assertThat(n2.held).containsOnly(Map.entry("key2", next));
    }

    @Test
    void aFailedFsyncLosesHintsOnly() {
        n2.up = false;
        miss(n2, 1, "x");
        time.advanceMillis(1);
        disk.failForce(disk.forces() + 1);
        seconds(2);
        miss(n2, 2, "y");
        assertThat(dropped(Dropped.ROOM)).isEqualTo(1);
        seconds(70);
        miss(n2, 3, "z");
        n2.up = true;
        seconds(5);
        assertThat(n2.held).containsKey("key3");
    }

    /** What waits for the store is bounded, and so is what waits for the disk. */
    @Test
    void whereNoThreadIsFreeHintsAreDropped() {
        busy = true;
        miss(n2, 1, "x");
        assertThat(dropped(Dropped.ROOM)).isEqualTo(1);
        busy = false;
        seconds(2);
        miss(n2, 2, "y");
        busy = true;
        seconds(20);
        assertThat(n2.held).isEmpty();
        busy = false;
        seconds(70);
        assertThat(n2.held).containsOnlyKeys("key2");
    }

    @Test
    void whereNoThreadIsFreeChecksDoNotPileUp() {
        n2.up = false;
        miss(n2, 1, "x");
        seconds(3);
        busy = true;
        seconds(3_600);
        int before = tasks;
        busy = false;
        seconds(1);
        assertThat(tasks - before).isLessThan(20);
    }

    @Test
    void withoutAWindowNoHintIsStored() {
        n2.up = false;
        miss(n2, 1, "x");
        seconds(1);
        handoff.close();
        assertThat(hasStore()).isTrue();
        handoff = started(new HandoffOptions(Duration.ZERO, 1, 1, 1), topology, n2, n3);
        assertThat(hasStore()).isFalse();
        miss(n2, 2, "y");
        assertThat(handoff.statistics().targets()).isEmpty();
        assertThat(disk.list(HINTS)).isEmpty();
    }

    /** Another member. Answers at once, or after a millisecond, in turn. */
    private final class Other implements Replica {

        private final Member member;
        private final List<Entry> asked = new ArrayList<>();
        private final Map<String, Entry> held = new TreeMap<>();
        private boolean up = true;
        private int inFlight;
        private int mostInFlight;
        private Predicate<Entry> refuses = write -> false;
        private Runnable beforeAnswer = () -> {};

        Other(String name) {
            this.member = new Member(name, URI.create("http://localhost:9999"));
        }

        @Override
        public Member member() {
            return member;
        }

        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            Entry write = ((ReplicaRequest.Write) request).entry();
            assertThat(deadlineNanos).isEqualTo(time.nanos() + JobDriver.DEADLINE.toNanos());
            asked.add(write);
            inFlight++;
            mostInFlight = Math.max(mostInFlight, inFlight);
            if (asked.size() % 2 == 0) {
                answer(write, callback);
            } else {
                time.after(Duration.ofMillis(1), () -> answer(write, callback));
            }
        }

        private void answer(Entry write, AnswerCallback callback) {
            inFlight--;
            if (!up || refuses.test(write)) {
                callback.answered(new Failed(Failure.REFUSED, "no"));
                return;
            }
            Entry newest =
                    held.merge(
                            new String(write.key(), US_ASCII),
                            write,
                            (a, b) -> b.supersedes(a) ? b : a);
            beforeAnswer.run();
            callback.answered(new ReplicaAnswer.Stored(newest.timestamp()));
        }
    }
}
