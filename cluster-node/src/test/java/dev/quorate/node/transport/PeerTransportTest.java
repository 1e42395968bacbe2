package dev.quorate.node.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.Seed;
import dev.quorate.node.clock.Deadlines;
import dev.quorate.node.clock.ManualTime;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.health.BreakerOptions;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.node.health.PeerStanding;
import dev.quorate.node.memory.ByteBudget;
import dev.quorate.node.message.FrameSeal;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.LocalReplica;
import dev.quorate.node.replica.MemoryStore;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Over real sockets and the real HTTP client; deadlines and probes on a clock that stands. */
class PeerTransportTest {

    private static final TransportOptions DEFAULTS = TransportOptions.forValuesOf(16 << 20);

    private final ManualTime time = new ManualTime();

    /** The peer's, which stands: a peer that stalls does not notice that a deadline has passed. */
    private final ManualTime doorTime = new ManualTime();

    private final Identity asking = Pair.identity("n1", time);
    private final Identity asked = Pair.identity("n2", time);
    private final MemoryStore store = new MemoryStore();
    private final LocalReplica replica =
            new LocalReplica(
                    asked.self(),
                    store,
                    asked.clock(),
                    doorTime,
                    new Deadlines(doorTime, doorTime),
                    Runnable::run);
    private final List<AutoCloseable> open = new ArrayList<>();
    private RemoteDoor door;

    @BeforeEach
    void openDoor() throws IOException {
        door = openDoor(asked, 0);
    }

    private RemoteDoor openDoor(Identity identity, int port) throws IOException {
        RemoteDoor opened =
                new RemoteDoor(identity, RemoteDoor.of(replica), doorTime, doorTime, port);
        open.addFirst(opened);
        return opened;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }

    private Peer connect(TransportOptions options) {
        return connect(asking, options, door.port());
    }

    /** The way to n2, found and up. */
    private Peer connect(Identity identity, TransportOptions options, int port) {
        PeerTransport transport = transport(identity, options, port, Runnable::run);
        transport.start();
        Peer peer = transport.peers().getFirst();
        assertThat(peer.member().name()).isEqualTo("n2");
        return peer;
    }

    private PeerTransport transport(
            Identity identity, TransportOptions options, int port, Executor background) {
        PeerTransport transport =
                new PeerTransport(
                        identity,
                        new HttpLinks(n2At(port), Duration.ofSeconds(1), background, time),
                        options,
                        time,
                        time,
                        new Random(1),
                        new ByteBudget(64 << 20));
        open.addFirst(transport);
        return transport;
    }

    /** The others are nowhere. */
    private static Function<Member, InetSocketAddress> n2At(int port) {
        return member ->
                InetSocketAddress.createUnresolved(
                        "127.0.0.1", member.name().equals("n2") ? port : 1);
    }

    private Peer connectAndWait(TransportOptions options) {
        Peer peer = connect(options);
        Answers.until(() -> peer.health().standing() == PeerStanding.UP);
        return peer;
    }

    private static TransportOptions with(int batchOperations, int laneOperations, int laneBytes) {
        return new TransportOptions(
                batchOperations,
                DEFAULTS.maxBatchBytes(),
                DEFAULTS.largeBytes(),
                laneOperations,
                laneBytes,
                DEFAULTS.maxBulkBytes(),
                DEFAULTS.maxReplyBytes(),
                Duration.ofHours(1),
                DEFAULTS.breaker());
    }

    private long in(long millis) {
        return time.nanos() + millis * 1_000_000;
    }

    private static ReplicaRequest read(String key) {
        return new ReplicaRequest.Read(key.getBytes(US_ASCII));
    }

    private ReplicaRequest.Write write(String key, int valueBytes) {
        Timestamp stamp = Objects.requireNonNull(asking.clock().next());
        return new ReplicaRequest.Write(
                Entry.value(key.getBytes(US_ASCII), stamp, new byte[valueBytes], 3));
    }

    /** A connection carries one exchange at a time, and is used again. */
    @Test
    void smallExchangesShareAConnectionForEachLane() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        for (int i = 0; i < 100; i++) {
            peer.ask(read("k" + i), in(1000), answers);
            peer.ask(write("k" + i, 10), in(1000), answers);
            var _ = answers.await(2 * i + 2);
        }
        assertThat(door.accepted()).isBetween(1L, 3L);
    }

    /** The peer closes what is idle for long; a message that crosses with that would be lost. */
    @Test
    void aConnectionThatWasIdleForLongIsNotUsedAgain() {
        Peer peer = connectAndWait(with(512, 4096, 4 << 20)); // without probes
        Answers answers = new Answers();
        peer.ask(read("a"), in(1000), answers);
        var _ = answers.await(1);
        long before = door.accepted();
        time.advanceMillis(15_000);
        peer.ask(read("b"), in(1000), answers);
        var _ = answers.await(2);
        assertThat(door.accepted()).isEqualTo(before);
        time.advanceMillis(21_000);
        peer.ask(read("c"), in(1000), answers);
        assertThat(answers.await(3)).containsOnly(ReplicaAnswer.Absent.ABSENT);
        assertThat(door.accepted()).isEqualTo(before + 1);
    }

    @Test
    void aLoneOperationLeavesAtOnce() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        peer.ask(read("k"), in(1000), answers);
        assertThat(answers.await(1)).containsExactly(ReplicaAnswer.Absent.ABSENT);
        assertThat(door.batches).hasValue(1);
    }

    @Test
    void whatIsQueuedMeanwhileLeavesTogether() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        door.shut();
        peer.ask(write("first", 10), in(1000), answers);
        Answers.until(() -> door.waiting() == 1);
        for (int i = 0; i < 100; i++) {
            peer.ask(write("k" + i, 100), in(1000), answers);
        }
        assertThat(peer.health().outstandingOperations()).isEqualTo(101);
        door.open();
        answers.await(101);
        assertThat(answers.failures()).isEmpty();
        assertThat(door.batches).hasValue(2);
        Answers.until(() -> peer.health().outstandingOperations() == 0);
        assertThat(peer.health().outstandingBytes()).isZero();
        assertThat(peer.health().exchanges()).isEqualTo(2);
        assertThat(peer.health().operations()).isEqualTo(101);
    }

    @Test
    void aBatchIsBoundInOperationsAndInBytes() {
        Peer peer = connectAndWait(with(10, 4096, 4 << 20));
        Answers answers = new Answers();
        door.shut();
        peer.ask(write("first", 10), in(1000), answers);
        Answers.until(() -> door.waiting() == 1);
        for (int i = 0; i < 20; i++) {
            peer.ask(write("small" + i, 10), in(1000), answers);
        }
        for (int i = 0; i < 9; i++) {
            peer.ask(write("middle" + i, 60_000), in(1000), answers); // four fit into a batch
        }
        door.open();
        answers.await(30);
        assertThat(answers.failures()).isEmpty();
        assertThat(door.batches).hasValue(1 + 2 + 3);
    }

    @Test
    void readsDoNotWaitForWritesNorSmallOnesForLargeOnes() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers stuck = new Answers();
        Answers answers = new Answers();
        store.holdLog();
        peer.ask(write("w", 10), in(1000), stuck);
        peer.ask(write("large", 1 << 20), in(1000), stuck);
        peer.ask(read("r"), in(1000), answers);
        answers.await(1);
        assertThat(stuck.count()).isZero();
        Answers.until(() -> door.batches.get() == 3);
        store.releaseLog();
        stuck.await(2);
        assertThat(stuck.failures()).isEmpty();
    }

    @Test
    void aLargeValueIsReadThroughTheBulkLane() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        ReplicaRequest.Write large = write("large", 3 << 20);
        ReplicaRequest.Write small = write("small", 10);
        store.write(large.entry(), new IgnoredCompletion());
        store.write(small.entry(), new IgnoredCompletion());
        door.shut();
        peer.ask(read("small"), in(5000), answers);
        Answers.until(() -> door.waiting() == 1);
        for (int i = 0; i < 5; i++) {
            peer.ask(read("large"), in(5000), answers);
            peer.ask(read("small"), in(5000), answers);
        }
        door.open();
        List<ReplicaAnswer> all = answers.await(11);
        assertThat(all).filteredOn(new ReplicaAnswer.Found(large.entry())::equals).hasSize(5);
        assertThat(all).filteredOn(new ReplicaAnswer.Found(small.entry())::equals).hasSize(6);
        assertThat(door.mostHeld.get(2)).isEqualTo(1);
    }

    @Test
    void neverTwoExchangesOfALaneAtOnceAndEveryOperationIsAnsweredOnce() throws Exception {
        RandomGenerator random = Seed.random("PeerTransportTest.neverTwoExchanges");
        Peer peer = connectAndWait(DEFAULTS);
        int threads = 4;
        int each = 1000;
        List<AtomicInteger> answered = new ArrayList<>();
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger outstanding = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int t = 0; t < threads; t++) {
                Random own = new Random(random.nextLong());
                List<AtomicInteger> mine = new ArrayList<>();
                for (int i = 0; i < each; i++) {
                    mine.add(new AtomicInteger());
                }
                answered.addAll(mine);
                executor.execute(
                        () -> {
                            for (AtomicInteger count : mine) {
                                while (outstanding.get() > 500) {
                                    Thread.onSpinWait();
                                }
                                outstanding.incrementAndGet();
                                peer.ask(
                                        any(own),
                                        in(60_000),
                                        answer -> {
                                            outstanding.decrementAndGet();
                                            count.incrementAndGet();
                                            if (answer instanceof Failed) {
                                                failed.incrementAndGet();
                                            }
                                        });
                            }
                        });
            }
        }
        Answers.until(() -> outstanding.get() == 0);
        assertThat(answered).allSatisfy(count -> assertThat(count).hasValue(1));
        assertThat(failed).hasValue(0);
        for (int lane = 0; lane < 3; lane++) {
            assertThat(door.mostHeld.get(lane)).isEqualTo(1);
        }
        assertThat(door.batches.get()).isLessThan(threads * each / 2);
        assertThat(peer.health().operations()).isGreaterThanOrEqualTo((long) threads * each);
    }

    private ReplicaRequest any(Random random) {
        String key = "k" + random.nextInt(1000);
        return switch (random.nextInt(20)) {
            case 0 -> write(key, 70_000);
            case 1 -> new ReplicaRequest.ScanPage(key.getBytes(US_ASCII), null, 1000);
            case 2, 3, 4, 5, 6, 7, 8, 9 -> write(key, random.nextInt(300));
            default -> read(key);
        };
    }

    @Test
    void aPeerThatStallsCostsItsDeadlineAndNoMore() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        door.shut();
        peer.ask(read("a"), in(200), answers);
        Answers.until(() -> door.waiting() == 1);
        peer.ask(read("b"), in(100), answers);
        peer.ask(read("c"), in(400), answers);
        time.advanceMillis(110);
        assertThat(answers.count()).as("b, queued").isEqualTo(1);
        time.advanceMillis(100);
        assertThat(answers.await(2)).as("b and a").hasSize(2);
        assertThat(answers.failures()).containsExactly(Failure.TIMEOUT, Failure.TIMEOUT);
        assertThat(peer.health().outstandingOperations())
                .as("a holds the lane until its exchange is given up")
                .isEqualTo(2);
        time.advanceMillis(100);
        Answers.until(() -> door.batches.get() == 2);
        door.open();
        answers.await(3);
        assertThat(answers.failures()).as("c got through").hasSize(2);
        Answers.until(() -> peer.health().outstandingOperations() == 0);
    }

    @Test
    void aStalledPeerIsGivenUpAndFoundAgain() {
        Peer peer = connectAndWait(with(512, 4096, 4 << 20));
        door.shut();
        for (int i = 0; i < 3; i++) {
            Answers answers = new Answers();
            int held = i + 1;
            peer.ask(read("k"), in(100), answers);
            Answers.until(() -> door.waiting() == held);
            time.advanceMillis(250);
            answers.await(1);
            int failed = i;
            Answers.until(() -> failed < 2 || peer.health().standing() == PeerStanding.DOWN);
            Answers.until(() -> peer.health().outstandingOperations() == 0);
        }
        Answers answers = new Answers();
        peer.ask(read("k"), in(1000), answers);
        assertThat(answers.failures()).as("at once").containsExactly(Failure.BREAKER_OPEN);
        time.advanceMillis(200);
        Answers.until(() -> peer.health().standing() == PeerStanding.UP);
        door.open();
        peer.ask(read("k"), in(1000), answers);
        answers.await(2);
        assertThat(answers.failures()).hasSize(1);
    }

    @Test
    void aDeadPeerIsGivenUpAndFoundWhenItIsBack() throws IOException {
        Peer peer = connectAndWait(DEFAULTS);
        int port = door.port();
        door.close();
        Answers answers = new Answers();
        int asked = 0;
        while (peer.health().asked()) {
            peer.ask(read("k"), in(5000), answers);
            answers.await(++asked);
            assertThat(asked).isLessThan(10);
        }
        assertThat(answers.failures()).hasSize(asked).containsOnly(Failure.UNREACHABLE);
        peer.ask(read("k"), in(5000), answers);
        assertThat(answers.failures().getLast()).isEqualTo(Failure.BREAKER_OPEN);
        assertThat(peer.health().standing()).isEqualTo(PeerStanding.DOWN);
        assertThat(peer.health().lastError()).contains("no connection");

        door = openDoor(asked(), port);
        Answers.until(
                () -> {
                    time.advanceMillis(500);
                    return peer.health().standing() == PeerStanding.UP;
                });
        Answers later = new Answers();
        peer.ask(read("k"), in(5000), later);
        assertThat(later.await(1)).containsExactly(ReplicaAnswer.Absent.ABSENT);
    }

    private Identity asked() {
        return asked;
    }

    @Test
    void aQuietPeerIsProbedSoThatItsEndIsNoticed() throws IOException {
        Peer peer = connectAndWait(DEFAULTS);
        door.close();
        Answers.until(
                () -> {
                    time.advanceMillis(100);
                    return peer.health().standing() == PeerStanding.DOWN;
                });
    }

    @Test
    void whatIsTooMuchIsTurnedAwayAtOnce() {
        Peer peer = connectAndWait(with(512, 20, 10_000));
        Answers answers = new Answers();
        door.shut();
        for (int i = 0; i < 30; i++) {
            peer.ask(read("k"), in(1000), answers);
        }
        assertThat(answers.failures()).hasSize(10).containsOnly(Failure.OVERLOADED);
        for (int i = 0; i < 30; i++) {
            peer.ask(write("w", 900), in(1000), answers);
        }
        assertThat(answers.failures()).as("ten of about 1,000 bytes fit").hasSize(10 + 20);
        Answers.until(() -> door.waiting() >= 2);
        door.open();
        answers.await(60);
        assertThat(answers.failures()).hasSize(30);
    }

    @Test
    void anOversizeOperationIsTakenAlone() {
        Peer peer = connectAndWait(with(512, 100, 100));
        Answers answers = new Answers();
        peer.ask(write("w", 900), in(1000), answers);
        answers.await(1);
        assertThat(answers.failures()).isEmpty();
    }

    @Test
    void anotherTopologyIsNamedAndRefused() throws IOException {
        Topology other =
                Topology.parse("n1=http://127.0.0.1:1,n2=http://127.0.0.1:2,n3=http://h:3");
        Identity there = Pair.identity("n2", time, other, Pair.SEAL);
        assertRefused(openDoor(there, 0), "n3 is http://127.0.0.1:3 here and http://h:3 there.");
    }

    @Test
    void anotherSecretIsNamedAndRefused() throws IOException {
        FrameSeal seal = new FrameSeal("the secret of another".getBytes(US_ASCII));
        Identity there = Pair.identity("n2", time, Pair.TOPOLOGY, seal);
        assertRefused(openDoor(there, 0), "secret");
    }

    @Test
    void anotherNodeAtItsAddressIsNamedAndRefused() throws IOException {
        assertRefused(openDoor(Pair.identity("n3", time), 0), "at its address is n3");
    }

    @Test
    void aClockFarBehindIsRefusedByThePeer() throws IOException {
        ManualTime past = new ManualTime(time.wallMillis() - 3_600_000);
        assertRefused(openDoor(Pair.identity("n2", past), 0), "clock is ahead of its");
    }

    @Test
    void aClockFarAheadIsRefusedHere() throws IOException {
        ManualTime future = new ManualTime(time.wallMillis() + 3_600_000);
        long before = asking.clock().reading();
        assertRefused(openDoor(Pair.identity("n2", future), 0), "its clock is 3600000 ms ahead");
        assertThat(asking.clock().reading()).isLessThan(before + (60_000L << 16));
    }

    private void assertRefused(RemoteDoor there, String why) {
        Peer peer = connect(asking, DEFAULTS, there.port());
        Answers.until(() -> peer.health().standing() == PeerStanding.REFUSED);
        assertThat(peer.health().lastError()).contains(why);
        Answers answers = new Answers();
        peer.ask(read("k"), in(1000), answers);
        Failed failed = (Failed) answers.await(1).getFirst();
        assertThat(failed.reason()).isEqualTo(Failure.REFUSED);
        assertThat(failed.detail()).contains(why);
        assertThat(there.batches).as("no operation is sent").hasValue(0);
    }

    @Test
    void aPeerThatLostItsClockIsNotTakenForAReplayForEver() throws Exception {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        for (int i = 0; i < 100; i++) {
            peer.ask(read("k"), in(1000), answers);
            answers.await(i + 1);
        }
        Ticker behind =
                new Ticker() {
                    @Override
                    public long wallMillis() {
                        return time.wallMillis() - 100;
                    }

                    @Override
                    public long nanos() {
                        return time.nanos();
                    }
                };
        open.removeFirst().close(); // the old n1 is gone: two of them would disturb each other
        Identity reborn = Pair.identity("n1", behind);
        Peer again = connect(reborn, DEFAULTS, door.port());
        Answers later = new Answers();
        Answers.until(
                () -> {
                    time.advanceMillis(100);
                    return again.health().standing() == PeerStanding.UP;
                });
        again.ask(read("k"), in(1000), later);
        assertThat(later.await(1)).containsExactly(ReplicaAnswer.Absent.ABSENT);
    }

    @Test
    void somethingElseThatListensThereIsNoPeer() throws Exception {
        try (ServerSocket silent = new ServerSocket()) {
            silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Peer peer = connect(asking, with(512, 100, 1000), silent.getLocalPort());
            Answers answers = new Answers();
            peer.ask(read("k"), in(100), answers);
            Answers.until(
                    () -> {
                        time.advanceMillis(50);
                        return answers.count() == 1;
                    });
            assertThat(answers.failures()).containsExactly(Failure.TIMEOUT);
        }
    }

    /** The write was stored, though nobody could say so: a client must not hear "not attempted". */
    @Test
    void aPeerWithoutRoomForItsAnswerLeavesAWriteUndecidedAndIsStillUp() {
        Peer peer = connectAndWait(DEFAULTS);
        door.noRoomForAnswers = true;
        for (int i = 0; i < 10; i++) {
            Answers answers = new Answers();
            peer.ask(write("k", 10), in(1000), answers);
            peer.ask(read("k"), in(1000), answers);
            answers.await(2);
            assertThat(answers.failures())
                    .containsExactlyInAnyOrder(Failure.FAILED, Failure.OVERLOADED);
        }
        assertThat(Failure.FAILED.isIndeterminate()).isTrue();
        door.noRoomForAnswers = false;
        Answers later = new Answers();
        peer.ask(read("k"), in(1000), later);
        assertThat(later.await(1).getFirst()).isInstanceOf(ReplicaAnswer.Found.class);
    }

    /** The callback of each failure asks again: the stack must not grow with it. */
    @Test
    void failuresWithinTheCallDoNotNest() {
        TransportOptions options =
                new TransportOptions(
                        1,
                        DEFAULTS.maxBatchBytes(),
                        DEFAULTS.largeBytes(),
                        4096,
                        4 << 20,
                        4 << 20,
                        DEFAULTS.maxReplyBytes(),
                        DEFAULTS.quiet(),
                        new BreakerOptions(
                                Integer.MAX_VALUE, Duration.ofMillis(1), Duration.ofMillis(1)));
        // Its address never becomes known.
        PeerTransport transport = transport(asking, options, door.port(), lookUp -> {});
        Peer peer = transport.peers().getFirst();
        AtomicInteger asked = new AtomicInteger();
        askAgain(peer, asked, 20_000);
        assertThat(asked).hasValue(20_000);
    }

    private void askAgain(Peer peer, AtomicInteger asked, int most) {
        if (asked.getAndIncrement() < most - 1) {
            peer.ask(read("k"), in(1000), answer -> askAgain(peer, asked, most));
        }
    }

    @Test
    void closingFailsWhatIsInFlight() {
        PeerTransport transport = transport(asking, DEFAULTS, door.port(), Runnable::run);
        transport.start();
        Peer peer = transport.peers().getFirst();
        Answers.until(() -> peer.health().standing() == PeerStanding.UP);
        Answers answers = new Answers();
        door.shut();
        peer.ask(read("a"), in(1000), answers);
        Answers.until(() -> door.waiting() == 1);
        peer.ask(read("b"), in(1000), answers);
        transport.close();
        answers.await(2);
        assertThat(answers.failures())
                .containsExactlyInAnyOrder(Failure.UNREACHABLE, Failure.STOPPING);
        peer.ask(read("c"), in(1000), answers);
        assertThat(answers.failures().getLast()).isEqualTo(Failure.STOPPING);
        PeerHealth health = peer.health();
        assertThat(health.asked()).isFalse();
    }
}
