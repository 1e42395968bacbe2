package dev.quorate.node.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.FrameSeal;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.Identity;
import dev.quorate.router.transport.Peer;
import dev.quorate.router.transport.PeerTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Peers that stall, end, refuse, or are somebody else. */
final class LostPeersTest extends TwoMembers {

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
    void aHungPeerIsDownAndThenUpAgain() {
        Peer peer = connectAndWait(with(512, 4096, 4 << 20));
        door.shut();
        for (int i = 0; i < 5; i++) {
            Answers answers = new Answers();
            int held = i + 1;
            peer.ask(read("k"), in(100), answers);
            Answers.until(() -> door.waiting() == held);
            time.advanceMillis(250);
            answers.await(1);
            Answers.until(() -> peer.health().outstandingOperations() == 0);
            assertThat(peer.health().standing())
                    .as("after %d ms, of which a second must be silent", 250 * held)
                    .isEqualTo(held < 5 ? PeerStanding.UP : PeerStanding.DOWN);
        }
        Answers answers = new Answers();
        peer.ask(read("k"), in(1000), answers);
        assertThat(answers.failures()).as("at once").containsExactly(Failure.BREAKER_OPEN);
        assertThat(peer.health().lastError()).as("only late").isEqualTo("no answer in time");
        time.advanceMillis(200);
        Answers.until(() -> peer.health().standing() == PeerStanding.UP);
        door.open();
        peer.ask(read("k"), in(1000), answers);
        answers.await(2);
        assertThat(answers.failures()).hasSize(1);
    }

    @Test
    void aDeadPeerIsDownAndThenUpAgain() throws IOException {
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

    private static Topology epoch(int last) {
        Topology topology = Pair.TOPOLOGY.in(new UUID(1, 2));
        while (topology.epoch() < last) {
            int port = 1_000 + topology.epoch();
            topology =
                    topology.next(
                            topology.members().stream()
                                    .map(
                                            each ->
                                                    each.name().equals("n1")
                                                            ? each.at(
                                                                    URI.create("http://a:" + port))
                                                            : each)
                                    .toList());
        }
        return topology;
    }

    /** It may have done what was asked, before it learned the topology. */
    @Test
    void aPeerInALaterEpochTellsItsTopology() {
        Peer peer = connectAndWait(DEFAULTS);
        List<Topology> told = new CopyOnWriteArrayList<>();
        asking.liveTopology().whenTold(told::add);
        asked.liveTopology().install(epoch(1));
        Answers answers = new Answers();
        peer.ask(read("k"), in(5000), answers);
        assertThat(answers.await(1).getFirst())
                .isEqualTo(
                        new Failed(Failure.STALE, "This node does not know the cluster's id yet."));
        assertThat(told).containsExactly(epoch(1));

        asking.liveTopology().install(epoch(1));
        asked.liveTopology().install(epoch(3));
        peer.ask(read("k"), in(5000), answers);
        assertThat(answers.await(2).getLast())
                .isEqualTo(new Failed(Failure.STALE, "The epoch is 1 here and 3 there."));
        assertThat(told).containsExactly(epoch(1), epoch(3));
        assertThat(peer.isUp()).isTrue();

        asking.liveTopology().install(epoch(3));
        peer.ask(read("k"), in(5000), answers);
        assertThat(answers.await(3).getLast()).isEqualTo(ReplicaAnswer.Absent.ABSENT);
    }

    /** The requests wait until it uses the topology, and are then sent again. */
    @Test
    void aPeerInAnEarlierEpochIsToldAndAskedAgain() {
        Peer peer = connectAndWait(DEFAULTS);
        List<String> tells = new CopyOnWriteArrayList<>();
        List<Runnable> installing = new CopyOnWriteArrayList<>();
        asking.liveTopology().install(epoch(2));
        asked.liveTopology().install(epoch(1));
        door.onTell(
                (tell, callback) -> {
                    tells.add(tell.topology());
                    installing.add(
                            () -> {
                                asked.liveTopology().install(epoch(2));
                                callback.answered(
                                        new ReplicaAnswer.Announced(
                                                MemberStates.of(1, Condition.WHOLE, 0, 1, 0, 0)));
                            });
                });
        Answers answers = new Answers();
        peer.ask(read("a"), in(5000), answers);
        peer.ask(read("b"), in(5000), answers);
        Answers.until(() -> installing.size() == 1);
        assertThat(answers.count()).isZero();
        installing.getFirst().run();
        assertThat(answers.await(2)).containsOnly(ReplicaAnswer.Absent.ABSENT);
        assertThat(answers.failures()).isEmpty();
        assertThat(tells).containsExactly(epoch(2).canonicalText());
    }

    @Test
    void whatWaitsForAPeerThatTakesNoTopologyFails() {
        Peer peer = connectAndWait(DEFAULTS);
        asking.liveTopology().install(epoch(2));
        asked.liveTopology().install(epoch(1));
        door.onTell((tell, callback) -> callback.answered(new Failed(Failure.FAILED, "disk")));
        Answers answers = new Answers();
        peer.ask(read("a"), in(5000), answers);
        assertThat(answers.await(1).getFirst())
                .isEqualTo(new Failed(Failure.STALE, "it does not use the topology of this node"));
    }

    /** It was planned with the owners of another epoch. */
    @Test
    void aRequestIsNotSentInAnotherEpochThanItsOwn() {
        Peer peer = connectAndWait(DEFAULTS);
        asking.liveTopology().install(epoch(2));
        asked.liveTopology().install(epoch(2));
        Answers answers = new Answers();
        AnswerCallback planned =
                new AnswerCallback() {
                    @Override
                    public void answered(ReplicaAnswer answer) {
                        answers.answered(answer);
                    }

                    @Override
                    public Topology topology() {
                        return epoch(1);
                    }
                };
        peer.ask(read("a"), in(5000), planned);
        assertThat(answers.await(1).getFirst())
                .isEqualTo(
                        new Failed(Failure.STALE, "not sent: this node is in another epoch now"));
    }

    @Test
    void aPeerOfAnotherClusterIsRefusedByName() {
        Peer peer = connectAndWait(DEFAULTS);
        asking.liveTopology().install(Pair.TOPOLOGY.in(new UUID(1, 2)));
        asked.liveTopology().install(Pair.TOPOLOGY.in(new UUID(3, 4)));
        Answers answers = new Answers();
        peer.ask(read("k"), in(5000), answers);
        assertThat(answers.await(1).getFirst())
                .isEqualTo(
                        new Failed(
                                Failure.REFUSED,
                                "This node belongs to cluster "
                                        + new UUID(1, 2)
                                        + ", and that one to cluster "
                                        + new UUID(3, 4)
                                        + "."));
        assertThat(peer.health().standing()).isEqualTo(PeerStanding.REFUSED);
    }

    /** What is asked goes through, though it was meant for the life before. */
    @Test
    void aPeerThatHasStartedAnewIsAskedAgainWithoutAFailure() throws IOException {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        peer.ask(read("k"), in(5000), answers);
        answers.await(1);
        int port = door.port();
        door.close();
        Identity again =
                new Identity(
                        asked.liveTopology(),
                        asked.self(),
                        asked.seals(),
                        asked.clock(),
                        asked.life() + 1);
        door = openDoor(again, port);
        Answers.until(
                () -> {
                    Answers each = new Answers();
                    peer.ask(read("k"), in(5000), each);
                    time.advanceMillis(100);
                    return each.await(1).getFirst() == ReplicaAnswer.Absent.ABSENT;
                });
        long refused = door.refused();
        assertThat(refused).isBetween(1L, 3L);
        for (int i = 0; i < 3; i++) {
            peer.ask(read("k"), in(5000), answers);
            peer.ask(write("w" + i, 10), in(5000), answers);
            peer.ask(write("l" + i, 300_000), in(5000), answers);
        }
        answers.await(10);
        assertThat(answers.failures()).isEmpty();
        assertThat(door.refused()).isEqualTo(refused);
        assertThat(peer.health().standing()).isEqualTo(PeerStanding.UP);
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

    /** The peer remembers the largest number: it is not to be of a time that has not come yet. */
    @Test
    void aClockCorrectedAfterTheStartDoesNotAffectTheNextStart() {
        ManualTime wrong = new ManualTime(time.wallMillis() + 3_600_000);
        Identity first = Pair.identity("n1", wrong);
        PeerTransport transport = transport(first, DEFAULTS, door.port(), Runnable::run);
        wrong.jumpWall(Duration.ofHours(-1));
        transport.start();
        Peer peer = transport.peers().getFirst();
        Answers.until(() -> peer.health().standing() == PeerStanding.UP);
        transport.close();
        Peer again = connect(asking, DEFAULTS, door.port());
        Answers.until(
                () -> {
                    time.advanceMillis(100);
                    return again.health().standing() == PeerStanding.UP;
                });
    }
}
