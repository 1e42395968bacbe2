package dev.quorate.node.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.HttpHead;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.Seed;
import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.FrameHeader;
import dev.quorate.router.message.FrameSeal;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.Pass;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.message.RefusalReason;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.Identity;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PeerDoorTest {

    private final ManualTime time = new ManualTime();
    private final Deadlines deadlines = new Deadlines(time, time);
    private final Identity asking = Pair.identity("n1", time);
    private final Identity asked = Pair.identity("n2", time);
    private final MemoryStore store = new MemoryStore();
    private final LocalReplica replica =
            PlainReplica.of(asked.self(), store, asked.clock(), time, deadlines, Runnable::run);
    private final List<Integer> heard = new ArrayList<>();
    private PeerDoor door;
    private long exchanges = 1000;

    @BeforeEach
    void open() {
        door = new PeerDoor(asked, RemoteDoor.of(replica), deadlines, time, heard::add, Pair.SLOW);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    private Entry entry(String key, int valueBytes) {
        Timestamp stamp = Objects.requireNonNull(asking.clock().next());
        return Entry.value(bytes(key), stamp, new byte[valueBytes], 3);
    }

    private FrameHeader header() {
        return header(Lane.WRITE);
    }

    private FrameHeader header(Lane lane) {
        return new FrameHeader(
                FrameHeader.Kind.REQUESTS,
                lane,
                Pair.TOPOLOGY.fingerprint(),
                asking.self().number(),
                asked.self().number(),
                asking.clock().reading(),
                ++exchanges,
                asked.life(),
                1000);
    }

    private CapturedExchange send(byte[] frame) {
        CapturedExchange exchange = new CapturedExchange();
        door.handle(new HttpRequest("POST", PeerCodec.PATH, null, name -> null, frame), exchange);
        return exchange;
    }

    private PeerCodec.Reply ask(FrameHeader header, List<ReplicaRequest> requests)
            throws Exception {
        byte[] frame = PeerCodec.encodeRequests(header, requests, Pair.SEAL);
        return reply(frame, send(frame), requests);
    }

    private static PeerCodec.Reply reply(
            byte[] frame, CapturedExchange exchange, List<ReplicaRequest> requests)
            throws Exception {
        return PeerCodec.decodeReply(
                exchange.response().joinedBody(), FrameSeal.of(frame), requests, Pair.SEAL);
    }

    private static RefusalReason refusal(PeerCodec.Reply reply) {
        return ((PeerCodec.Reply.Refusal) reply).reason();
    }

    private void assertUntouched() {
        assertThat(store.lookup(bytes("k"))).isEqualTo(Lookup.Absent.ABSENT);
    }

    private ReplicaRequest write() {
        return new ReplicaRequest.Write(entry("k", 10));
    }

    @Test
    void answersEachOperationInOrder() throws Exception {
        Entry entry = entry("k", 10);
        FrameHeader header = header();
        PeerCodec.Reply reply =
                ask(
                        header,
                        List.of(
                                new ReplicaRequest.Read(bytes("k")),
                                new ReplicaRequest.Write(entry),
                                new ReplicaRequest.Read(bytes("k")),
                                new ReplicaRequest.ScanPage(bytes("a"), null, 100)));
        assertThat(reply)
                .isEqualTo(
                        new PeerCodec.Reply.Answers(
                                header.answer(
                                        FrameHeader.Kind.ANSWERS,
                                        Pair.TOPOLOGY.fingerprint(),
                                        asked.clock().reading(),
                                        asked.life()),
                                List.of(
                                        ReplicaAnswer.Absent.ABSENT,
                                        new ReplicaAnswer.Stored(entry.timestamp()),
                                        new ReplicaAnswer.Found(entry),
                                        new ReplicaAnswer.Page(List.of(entry), true))));
    }

    @Test
    void aProbeIsAnsweredAndMovesBothClocks() throws Exception {
        asking.clock().observe(asking.clock().reading() + (300L << 16));
        PeerCodec.Reply reply = ask(header(), List.of());
        assertThat(reply).isInstanceOf(PeerCodec.Reply.Answers.class);
        assertThat(heard).containsExactly(asking.self().number());
        assertThat(asked.clock().reading()).isGreaterThanOrEqualTo(asking.clock().reading());
        assertThat(reply.header().clock()).isEqualTo(asked.clock().reading());
    }

    @Test
    void aWriteInTheLogIsAnsweredAfterTheFsync() throws Exception {
        store.holdLog();
        List<ReplicaRequest> requests = List.of(write(), new ReplicaRequest.Read(bytes("x")));
        byte[] frame = PeerCodec.encodeRequests(header(), requests, Pair.SEAL);
        CapturedExchange exchange = send(frame);
        assertThat(exchange.isAnswered()).isFalse();
        store.releaseLog();
        assertThat(reply(frame, exchange, requests)).isInstanceOf(PeerCodec.Reply.Answers.class);
    }

    @Test
    void anOperationThatMissesTheDeadlineIsReportedAsTimedOut() throws Exception {
        store.holdLog();
        List<ReplicaRequest> requests = List.of(new ReplicaRequest.Read(bytes("x")), write());
        byte[] frame = PeerCodec.encodeRequests(header(), requests, Pair.SEAL);
        CapturedExchange exchange = send(frame);
        time.advanceMillis(1020);
        PeerCodec.Reply.Answers answers =
                (PeerCodec.Reply.Answers) reply(frame, exchange, requests);
        assertThat(answers.answers().getFirst()).isEqualTo(ReplicaAnswer.Absent.ABSENT);
        assertThat(answers.answers().getLast())
                .isInstanceOfSatisfying(
                        Failed.class, f -> assertThat(f.reason()).isEqualTo(Failure.TIMEOUT));
        store.releaseLog();
    }

    @Test
    void anOperationThatIsNeverAnsweredDoesNotHoldTheExchangeForEver() throws Exception {
        List<AnswerCallback> forgotten = new ArrayList<>();
        door =
                new PeerDoor(
                        asked,
                        (l, r, d, callback) -> forgotten.add(callback),
                        deadlines,
                        time,
                        heard::add,
                        Pair.SLOW);
        CapturedExchange exchange =
                send(PeerCodec.encodeRequests(header(), List.of(write()), Pair.SEAL));
        time.advanceMillis(1020);
        assertThat(exchange.isAnswered()).isTrue();
        forgotten.forEach(late -> late.answered(ReplicaAnswer.Absent.ABSENT));
    }

    @Test
    void largeAnswersAreLeftToTheBulkLaneWhichAlwaysTakesOne() throws Exception {
        for (int i = 0; i < 5; i++) {
            store.put(entry("k" + i, 600_000)); // two of them do not fit into one answer
        }
        store.put(entry("small", 10));
        List<ReplicaRequest> reads = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            reads.add(new ReplicaRequest.Read(bytes("k" + i)));
        }
        reads.add(new ReplicaRequest.Read(bytes("small")));
        PeerCodec.Reply.Answers inReadLane =
                (PeerCodec.Reply.Answers) ask(header(Lane.READ), reads);
        assertThat(inReadLane.answers().subList(0, 5)).containsOnlyNulls();
        assertThat(inReadLane.answers().getLast()).isInstanceOf(ReplicaAnswer.Found.class);
        int rounds = 0;
        while (!reads.isEmpty()) {
            PeerCodec.Reply.Answers inBulkLane =
                    (PeerCodec.Reply.Answers) ask(header(Lane.BULK), reads);
            int before = reads.size();
            for (int i = before - 1; i >= 0; i--) {
                if (inBulkLane.answers().get(i) != null) {
                    reads.remove(i);
                }
            }
            assertThat(reads).hasSizeLessThan(before);
            rounds++;
        }
        assertThat(rounds).isEqualTo(5);
        assertThat(door.figures().count("peer_answers_deferred")).isEqualTo(5 + 4 + 3 + 2 + 1);
    }

    @Test
    void aPeerWithAnotherTopologyGetsThisOne() throws Exception {
        Topology other = Topology.parse("n1=http://127.0.0.1:1,n2=http://127.0.0.1:9");
        FrameHeader h = header();
        FrameHeader foreign =
                new FrameHeader(
                        h.kind(),
                        h.lane(),
                        other.fingerprint(),
                        h.sender(),
                        h.recipient(),
                        h.clock(),
                        h.exchange(),
                        h.life(),
                        h.remainingMillis());
        PeerCodec.Reply reply = ask(foreign, List.of(write()));
        assertThat(refusal(reply)).isEqualTo(RefusalReason.TOPOLOGY);
        String text = ((PeerCodec.Reply.Refusal) reply).text();
        assertThat(other.differenceFrom(Topology.parseCanonicalText(text)))
                .isEqualTo("n2 is http://127.0.0.1:9 here and http://127.0.0.1:2 there.");
        assertUntouched();
    }

    /** The asking node has planned the operation with a topology that this node has left. */
    @Test
    void whatWasDoneBeforeAnotherTopologyIsNoVote() throws Exception {
        store.holdLog();
        List<ReplicaRequest> requests = List.of(write());
        byte[] frame = PeerCodec.encodeRequests(header(), requests, Pair.SEAL);
        CapturedExchange exchange = send(frame);
        asked.liveTopology().install(Pair.TOPOLOGY.in(new UUID(1, 2)));
        store.releaseLog();
        PeerCodec.Reply reply = reply(frame, exchange, requests);
        assertThat(refusal(reply)).isEqualTo(RefusalReason.TOPOLOGY);
        assertThat(((PeerCodec.Reply.Refusal) reply).text())
                .isEqualTo(Pair.TOPOLOGY.in(new UUID(1, 2)).canonicalText());
    }

    /** Members of different epochs of one cluster agree in it; those of two clusters do not. */
    @Test
    void theLaneForControlIsOpenToAllEpochsOfTheCluster() throws Exception {
        Topology first = Pair.TOPOLOGY.in(new UUID(1, 2));
        asked.liveTopology().install(first.next(first.members()));
        for (Topology theirs : List.of(first, Pair.TOPOLOGY.in(new UUID(1, 3)), Pair.TOPOLOGY)) {
            FrameHeader h = header();
            FrameHeader control =
                    new FrameHeader(
                            h.kind(),
                            Lane.CONTROL,
                            Identity.fingerprint(theirs, Lane.CONTROL),
                            h.sender(),
                            h.recipient(),
                            h.clock(),
                            h.exchange(),
                            h.life(),
                            h.remainingMillis());
            PeerCodec.Reply reply = ask(control, List.of(new ReplicaRequest.Tell("x")));
            if (theirs.equals(first)) {
                assertThat(reply).isInstanceOf(PeerCodec.Reply.Answers.class);
            } else {
                assertThat(refusal(reply)).isEqualTo(RefusalReason.TOPOLOGY);
            }
        }
    }

    @Test
    void aFrameForAnotherMemberIsNotTaken() throws Exception {
        FrameHeader h = header();
        int n3 = Objects.requireNonNull(Pair.TOPOLOGY.member("n3")).number();
        for (int[] way :
                new int[][] {
                    {h.sender(), n3}, {42, h.recipient()}, {h.recipient(), h.recipient()}
                }) {
            FrameHeader astray =
                    new FrameHeader(
                            h.kind(),
                            h.lane(),
                            h.fingerprint(),
                            way[0],
                            way[1],
                            h.clock(),
                            ++exchanges,
                            h.life(),
                            h.remainingMillis());
            PeerCodec.Reply reply = ask(astray, List.of(write()));
            assertThat(refusal(reply)).isEqualTo(RefusalReason.RECIPIENT);
            assertThat(((PeerCodec.Reply.Refusal) reply).text()).isEqualTo("n2");
        }
        assertUntouched();
    }

    @Test
    void aClockThatIsFarAheadIsNotFollowed() throws Exception {
        long before = asked.clock().reading();
        FrameHeader h = header();
        FrameHeader ahead =
                new FrameHeader(
                        h.kind(),
                        h.lane(),
                        h.fingerprint(),
                        h.sender(),
                        h.recipient(),
                        h.clock() + (3_600_000L << 16),
                        h.exchange(),
                        h.life(),
                        h.remainingMillis());
        assertThat(refusal(ask(ahead, List.of(write())))).isEqualTo(RefusalReason.CLOCK);
        assertThat(asked.clock().reading()).isEqualTo(before);
        assertUntouched();
    }

    @Test
    void anEntryFromTheFutureIsNotStored() throws Exception {
        Timestamp future = Timestamp.of(time.wallMillis() + 3_600_000, 0, 1);
        Entry entry = Entry.value(bytes("k"), future, bytes("v"), 3);
        PeerCodec.Reply.Answers reply =
                (PeerCodec.Reply.Answers) ask(header(), List.of(new ReplicaRequest.Write(entry)));
        assertThat(reply.answers().getFirst())
                .isInstanceOfSatisfying(
                        Failed.class, f -> assertThat(f.reason()).isEqualTo(Failure.REFUSED));
        assertUntouched();
    }

    @Test
    void aReplayIsRefusedButFramesOutOfOrderAreNot() throws Exception {
        FrameHeader first = header();
        FrameHeader second = header();
        assertThat(ask(second, List.of())).isInstanceOf(PeerCodec.Reply.Answers.class);
        assertThat(ask(first, List.of())).isInstanceOf(PeerCodec.Reply.Answers.class);
        assertThat(refusal(ask(first, List.of(write())))).isEqualTo(RefusalReason.REPLAY);
        assertThat(refusal(ask(second, List.of(write())))).isEqualTo(RefusalReason.REPLAY);
        exchanges += 100;
        assertThat(ask(header(), List.of())).isInstanceOf(PeerCodec.Reply.Answers.class);
        exchanges -= 90;
        assertThat(refusal(ask(header(), List.of(write())))).isEqualTo(RefusalReason.REPLAY);
        assertThat(ask(header(Lane.READ), List.of()))
                .as("each lane has numbers of its own")
                .isInstanceOf(PeerCodec.Reply.Answers.class);
        assertUntouched();
    }

    @Test
    void unsealedFramesAreForbidden() {
        byte[] frame = PeerCodec.encodeRequests(header(), List.of(write()), Pair.SEAL);
        for (int i = 5; i < frame.length; i++) {
            byte[] changed = frame.clone();
            changed[i] ^= 4;
            assertThat(send(changed).response().status()).isEqualTo(403);
        }
        FrameSeal other = new FrameSeal(bytes("the secret of another"));
        byte[] foreign = PeerCodec.encodeRequests(header(), List.of(write()), other);
        assertThat(send(foreign).response().status()).isEqualTo(403);
        assertUntouched();
        assertThat(heard).isEmpty();
        assertThat(door.figures().count("peer_requests_refused", "reason", "seal"))
                .isEqualTo(frame.length - 5 + 1);
    }

    @Test
    void otherProtocolsAndPathsAreTurnedAway() {
        byte[] frame = PeerCodec.encodeRequests(header(), List.of(write()), Pair.SEAL);
        frame[4] = 2;
        assertThat(send(frame).response().status()).isEqualTo(400);
        assertThat(send(new byte[0]).response().status()).isEqualTo(400);
        assertThat(send(bytes("GET / HTTP/1.1")).response().status()).isEqualTo(400);
        CapturedExchange elsewhere = new CapturedExchange();
        door.handle(new HttpRequest("POST", "/v0/entity", null, n -> null, frame), elsewhere);
        assertThat(elsewhere.response().status()).isEqualTo(404);
        CapturedExchange got = new CapturedExchange();
        HttpHeaders headers = head("GET", PeerCodec.PATH, pass());
        door.handle(new HttpRequest("GET", PeerCodec.PATH, null, headers, frame), got);
        assertThat(got.response().status()).isEqualTo(426);
        CapturedExchange put = new CapturedExchange();
        door.handle(new HttpRequest("PUT", PeerCodec.PATH, null, n -> null, frame), put);
        assertThat(put.response().status()).isEqualTo(405);
        assertUntouched();
    }

    /** Of someone who has the secret: lengths that lie, items that are cut off. */
    @Test
    void malformedSealedFramesAreRefusedWithoutEffect() throws Exception {
        RandomGenerator random = Seed.random("PeerDoorTest.sealedNonsense");
        int[] lengths = {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 1 << 30, 1 << 20};
        int refused = 0;
        for (int i = 0; i < 3000; i++) {
            byte[] frame = PeerCodec.encodeRequests(header(), List.of(write(), write()), Pair.SEAL);
            byte[] body =
                    random.nextBoolean()
                            ? frame
                            : Arrays.copyOf(frame, random.nextInt(84, frame.length));
            int bodyBytes = body.length - FrameSeal.BYTES;
            if (bodyBytes >= 56) {
                ByteBuffer.wrap(body)
                        .putInt(
                                random.nextInt(52, bodyBytes - 3),
                                lengths[random.nextInt(lengths.length)]);
            }
            reseal(body);
            int status = send(body).response().status();
            assertThat(status).isIn(200, 400);
            refused += status == 400 ? 1 : 0;
        }
        assertThat(refused).isGreaterThan(1000);
    }

    private static void reseal(byte[] frame) throws Exception {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(bytes("a secret of the cluster"), "HmacSHA256"));
        mac.update(frame, 0, frame.length - FrameSeal.BYTES);
        mac.doFinal(frame, frame.length - FrameSeal.BYTES);
    }

    @Test
    void aClockInUseIsTheNodesOwn() {
        HybridClock clock = asked.clock();
        long before = clock.reading();
        byte[] frame = PeerCodec.encodeRequests(header(), List.of(), Pair.SEAL);
        frame[frame.length - 1] ^= 1;
        send(frame);
        assertThat(clock.reading()).as("not moved by what is not sealed").isEqualTo(before);
    }

    /** As what was recorded, and is sent again when the recipient has started anew. */
    @Test
    void framesForAnEarlierLifeAreNotExecuted() throws Exception {
        List<byte[]> recorded = new ArrayList<>();
        for (Lane lane : Lane.values()) {
            recorded.add(PeerCodec.encodeRequests(header(lane), List.of(write()), Pair.SEAL));
        }
        Identity again =
                new Identity(
                        asked.liveTopology(),
                        asked.self(),
                        asked.seals(),
                        asked.clock(),
                        asked.life() + 1);
        door = new PeerDoor(again, RemoteDoor.of(replica), deadlines, time, heard::add, Pair.SLOW);
        long clock = asked.clock().reading();
        for (byte[] frame : recorded) {
            PeerCodec.Reply reply = reply(frame, send(frame), List.of(write()));
            assertThat(refusal(reply)).isEqualTo(RefusalReason.LIFE);
            assertThat(reply.header().life()).isEqualTo(again.life());
        }
        assertUntouched();
        assertThat(heard).isEmpty();
        assertThat(asked.clock().reading()).isEqualTo(clock);
        assertThat(RemoteDoor.refused(door)).isEqualTo(recorded.size());
    }

    private static HttpHead head(String method, String path, @Nullable String pass) {
        return new HttpHead() {
            @Override
            public String method() {
                return method;
            }

            @Override
            public boolean expectsContinue() {
                return false;
            }

            @Override
            public String path() {
                return path;
            }

            @Override
            public @Nullable String query() {
                return null;
            }

            @Override
            public @Nullable String first(String lowerCaseName) {
                return lowerCaseName.equals("x-quorate-pass") ? pass : null;
            }
        };
    }

    private String pass() {
        return Pass.text(PeerCodec.encodeRequests(header(Lane.BULK), List.of(), Pair.SEAL));
    }

    private int refusalStatus(HttpHead head) {
        HttpResponse refusal = door.refusal(head);
        return refusal == null ? 200 : refusal.status();
    }

    @Test
    void nothingIsTakenOfABodyWithoutAPass() {
        String pass = pass();
        assertThat(refusalStatus(head("POST", PeerCodec.PATH, pass))).isEqualTo(200);
        assertThat(refusalStatus(head("POST", PeerCodec.PATH, pass))).as("used").isEqualTo(409);
        assertThat(refusalStatus(head("POST", PeerCodec.PATH, null))).isEqualTo(403);
        assertThat(refusalStatus(head("POST", PeerCodec.PATH, "AAAA"))).isEqualTo(400);
        assertThat(refusalStatus(head("POST", PeerCodec.PATH, "?"))).isEqualTo(403);
        String longer = pass() + "A".repeat(200);
        assertThat(refusalStatus(head("POST", PeerCodec.PATH, longer))).isEqualTo(403);
        FrameSeal foreignSeal = new FrameSeal(bytes("the secret of another"));
        byte[] foreign = PeerCodec.encodeRequests(header(Lane.BULK), List.of(), foreignSeal);
        assertThat(refusalStatus(head("POST", PeerCodec.PATH, Pass.text(foreign)))).isEqualTo(403);
        assertThat(refusalStatus(head("PUT", PeerCodec.PATH, pass()))).isEqualTo(405);
        assertThat(refusalStatus(head("POST", "/", pass()))).isEqualTo(404);
    }

    @Test
    void aConnectionBecomesOneOfMessagesOnlyWithAPass() {
        CapturedExchange exchange = new CapturedExchange();
        HttpHeaders headers = head("GET", PeerCodec.PATH, null);
        door.handle(new HttpRequest("GET", PeerCodec.PATH, null, headers, new byte[0]), exchange);
        assertThat(exchange.response().status()).isEqualTo(403);
    }
}
