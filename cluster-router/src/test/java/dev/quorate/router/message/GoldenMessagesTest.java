package dev.quorate.router.message;

import static dev.quorate.router.message.Frames.ASK;
import static dev.quorate.router.message.Frames.NEWS;
import static dev.quorate.router.message.Frames.REPLY;
import static dev.quorate.router.message.Frames.REQUESTS;
import static dev.quorate.router.message.Frames.SEAL;
import static dev.quorate.router.message.Frames.assertSameRequests;
import static dev.quorate.router.message.Frames.bytes;
import static dev.quorate.router.message.Frames.hex;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.decree.Decree;
import dev.quorate.router.message.MemberState.PeerView;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages between nodes are byte for byte as in the sixth layout. */
final class GoldenMessagesTest {

    private static final List<@Nullable ReplicaAnswer> ANSWERS =
            Arrays.asList(
                    new ReplicaAnswer.Found(
                            Entry.value(bytes("alpha"), new Timestamp(9, 8), bytes("12"), 1)),
                    new ReplicaAnswer.Stored(new Timestamp(0x10000, 1)),
                    new ReplicaAnswer.Stored(new Timestamp(0x20002, 0, 0x30003)),
                    new ReplicaAnswer.Failed(Failure.DISK_FULL, "no space"),
                    new ReplicaAnswer.Page(List.of(), true),
                    new ReplicaAnswer.Page(
                            List.of(
                                    Entry.tombstone(bytes("a"), new Timestamp(3, 3), 3),
                                    Entry.value(bytes("aa"), new Timestamp(4, 4), bytes(""), 3)),
                            false),
                    ReplicaAnswer.Absent.ABSENT,
                    null);

    @Test
    void requestsAreAsInTheSeventhLayout() throws Exception {
        byte[] golden = golden("requests-7.golden");
        assertThat(hex(PeerCodec.encodeRequests(ASK, REQUESTS, SEAL))).isEqualTo(hex(golden));
        assertThat(PeerCodec.openRequests(golden, SEAL).header()).isEqualTo(ASK);
        assertSameRequests(PeerCodec.decodeRequests(golden), REQUESTS);
    }

    @Test
    void answersAreAsInTheSeventhLayout() throws Exception {
        byte[] request = golden("requests-7.golden");
        byte[] golden = golden("answers-7.golden");
        assertThat(hex(PeerCodec.encodeAnswers(REPLY, ANSWERS, FrameSeal.of(request), SEAL)))
                .isEqualTo(hex(golden));
        assertThat(PeerCodec.decodeReply(golden, FrameSeal.of(request), REQUESTS, SEAL))
                .isEqualTo(new PeerCodec.Reply.Answers(REPLY, ANSWERS));
    }

    /** What replicas that differ send each other, of each form. */
    @Test
    void comparisonsAreAsInTheSeventhLayout() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.Compare(7, -2, 0, 3, bytes("a"), null, 6),
                        new ReplicaRequest.Compare(
                                -7, 2, 1700000000000L, -3, bytes("key1"), bytes("key9"), 4096),
                        new ReplicaRequest.Compare(7, 0, 0, 0, bytes("key"), bytes("l"), 300));
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.Compared(ComparedRange.Same.SAME),
                        new ReplicaAnswer.Compared(
                                new ComparedRange.Listing(
                                        List.of(
                                                new ComparedRange.Listed(
                                                        bytes("key1"), new Timestamp(5, 6), 0),
                                                new ComparedRange.Listed(
                                                        bytes("key12"),
                                                        new Timestamp(-1, -1),
                                                        0x12345678),
                                                new ComparedRange.Listed(
                                                        bytes("key2"),
                                                        new Timestamp(5, 6, 7),
                                                        8)))),
                        new ReplicaAnswer.Compared(
                                new ComparedRange.Parts(
                                        List.of(
                                                new ComparedRange.Part(bytes("key1"), 1),
                                                new ComparedRange.Part(bytes("key15"), -2),
                                                new ComparedRange.Part(null, 3)))));
        assertGolden("comparisons-7.golden", requests, "compared-7.golden", answers);
    }

    /** What nodes tell each other of a key, with each optional part. */
    @Test
    void inquiriesAreAsInTheSeventhLayout() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.Inquire(bytes("alpha")),
                        new ReplicaRequest.Inquire(new byte[] {-1}));
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.Inquired(
                                new HeldKey(NEWS, 0, true, List.of(), List.of(), List.of())),
                        new ReplicaAnswer.Inquired(
                                new HeldKey(
                                        MemberStates.of(
                                                -1, MemberState.Condition.REBUILDING, 1, 2, 3, 4),
                                        1_767_225_600_000L,
                                        false,
                                        List.of(
                                                new Held(
                                                        Place.Active.ACTIVE,
                                                        new Timestamp(5, 6),
                                                        false,
                                                        3,
                                                        0,
                                                        Entry.NEVER),
                                                new Held(
                                                        Place.Sealed.SEALED,
                                                        new Timestamp(-1, -1),
                                                        true,
                                                        255,
                                                        0,
                                                        Entry.NEVER),
                                                new Held(
                                                        new Place.Table(26, 6),
                                                        new Timestamp(0x10000, 1, 0x20000),
                                                        false,
                                                        0,
                                                        300,
                                                        77)),
                                        List.of(
                                                new Unread(
                                                        new Place.Table(27, 0),
                                                        new Timestamp(9, 8),
                                                        "block")),
                                        List.of(
                                                new HeldKey.Hint(7, new Timestamp(3, 4)),
                                                new HeldKey.Hint(8, new Timestamp(3, 4, -1))))));
        assertGolden("inquiries-7.golden", requests, "inquired-7.golden", answers);
    }

    /** What a member that lost its disk asks for, and what it is given. */
    @Test
    void giftsAreAsInTheSeventhLayout() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.StreamPage(7, false, List.of(5), bytes(""), 524288),
                        new ReplicaRequest.StreamPage(-7, true, List.of(-1, 2), bytes("key1"), 1));
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.StreamedPage(
                                List.of(
                                        Entry.tombstone(bytes("a"), new Timestamp(3, 3), 3),
                                        Entry.value(
                                                bytes("aa"), new Timestamp(4, 4), bytes("v"), 3)),
                                bytes("key1")),
                        new ReplicaAnswer.StreamedPage(List.of(), null));
        assertGolden("gifts-7.golden", requests, "given-7.golden", answers);
    }

    /** What members tell each other of themselves, and copies of what another has. */
    @Test
    void newsAndCopiesAreAsInTheSeventhLayout() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        ReplicaRequest.Write.copyOf(
                                Entry.value(
                                        bytes("k"),
                                        new Timestamp(0x10000, 1, 0x10001),
                                        bytes("v"),
                                        3)),
                        new ReplicaRequest.Announce(
                                7,
                                new MemberState(
                                        -1,
                                        7,
                                        3,
                                        6,
                                        MemberState.Condition.RETURNING,
                                        0,
                                        11,
                                        12,
                                        13,
                                        4,
                                        0,
                                        0,
                                        5,
                                        6,
                                        List.of(
                                                new KnownLife(-7, -8, 9, 10),
                                                new KnownLife(8, 9, 10, 10)),
                                        List.of(
                                                new PeerView(-7, PeerStanding.UNKNOWN),
                                                new PeerView(8, PeerStanding.UP),
                                                new PeerView(9, PeerStanding.DOWN),
                                                new PeerView(10, PeerStanding.REFUSED)),
                                        new MemberState.Load("0.1.0", 1_000, 250, 4_000))));
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.Stored(new Timestamp(0x10000, 1, 0x10001)),
                        new ReplicaAnswer.Announced(
                                MemberStates.of(2, MemberState.Condition.WHOLE, 3, 4, 5, 6)));
        assertGolden("news-7.golden", requests, "told-7.golden", answers);
    }

    /** The choice of a topology, and its news. */
    @Test
    void decreesAreAsInTheSeventhLayout() throws Exception {
        String value = "5d1c1f0e-8a3b-4c6d-9e7f-0a1b2c3d4e5f";
        Timestamp ballot = new Timestamp(0x10000, 1);
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.Propose(0, ballot, "", 3),
                        new ReplicaRequest.Propose(0, ballot, value, 3),
                        new ReplicaRequest.Tell("cluster=x;epoch=2"));
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.Accepting(Decree.NONE.promise(ballot)),
                        new ReplicaAnswer.Accepting(Decree.NONE.accept(ballot, value)),
                        new ReplicaAnswer.Announced(NEWS));
        assertGolden("proposals-7.golden", requests, "accepting-7.golden", answers);
    }

    /** A wait, its end, and what is reported. */
    @Test
    void waitsAreAsInTheSeventhLayout() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.Watch(-7, -2, 65_000, bytes("alpha")),
                        new ReplicaRequest.Watch(-7, -2, 0, bytes("alpha")),
                        new ReplicaRequest.Changed(List.of(1L, -2L)));
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.Digested(
                                new Digest(new Timestamp(9, 8), 3, 0, 1_000, 0x12345678)),
                        ReplicaAnswer.Absent.ABSENT,
                        ReplicaAnswer.Absent.ABSENT);
        assertGolden("waits-7.golden", requests, "waiting-7.golden", answers);
    }

    @Test
    void waitsBelowAPrefixAreAsInTheSeventhLayout() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.Watch(-7, -2, 65_000, bytes("alpha"), true),
                        new ReplicaRequest.Watch(-7, -2, 0, bytes(""), true));
        List<ReplicaAnswer> answers =
                List.of(new ReplicaAnswer.Counted(-3), new ReplicaAnswer.Counted(1));
        assertGolden("prefix-waits-7.golden", requests, "counted-7.golden", answers);
    }

    @Test
    void refusalsAreAsInTheSeventhLayout() throws Exception {
        byte[] request = golden("requests-7.golden");
        byte[] golden = golden("refusal-7.golden");
        FrameHeader header = ASK.answer(FrameHeader.Kind.REFUSAL, 5, 6, 8);
        String text = "virtual-nodes=1;replication=1;n1=http://a:1";
        assertThat(
                        hex(
                                PeerCodec.encodeRefusal(
                                        header,
                                        RefusalReason.TOPOLOGY,
                                        text,
                                        FrameSeal.of(request),
                                        SEAL)))
                .isEqualTo(hex(golden));
        assertThat(PeerCodec.decodeReply(golden, FrameSeal.of(request), REQUESTS, SEAL))
                .isEqualTo(new PeerCodec.Reply.Refusal(header, RefusalReason.TOPOLOGY, text));
    }

    /** Of a value that is long the digest, and a short one itself. */
    @Test
    void digestsAreAsInTheSeventhLayout() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.ReadDigest(bytes("alpha")),
                        new ReplicaRequest.ReadDigest(bytes("beta")),
                        new ReplicaRequest.ReadDigest(bytes("gamma")),
                        new ReplicaRequest.ReadDigest(bytes("delta")));
        byte[] value = "123456789".repeat(60).getBytes(StandardCharsets.US_ASCII);
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.Digested(
                                Digest.of(
                                        Entry.expiring(
                                                bytes("alpha"),
                                                new Timestamp(-9, 8),
                                                value,
                                                200,
                                                77))),
                        ReplicaAnswer.Absent.ABSENT,
                        new ReplicaAnswer.Found(
                                Entry.value(bytes("gamma"), new Timestamp(9, 8), bytes("1"), 1)),
                        new ReplicaAnswer.Digested(
                                Digest.of(
                                        Entry.value(
                                                bytes("delta"),
                                                new Timestamp(9, 8, 10),
                                                value,
                                                3))));
        assertGolden("digest-reads-7.golden", requests, "digests-7.golden", answers);
    }

    /** Entries with a content type, with and without what else they can have. */
    @Test
    void contentTypesAreAsInTheSeventhLayout() throws Exception {
        Entry plain =
                Entry.value(bytes("alpha"), new Timestamp(9, 8), bytes("12"), 1)
                        .withContentType("text/plain");
        Entry full =
                Entry.expiring(bytes("beta"), new Timestamp(9, 8, 10), bytes(""), 3, 77)
                        .withContentType("x".repeat(255));
        List<ReplicaRequest> requests =
                List.of(new ReplicaRequest.Write(full), new ReplicaRequest.Read(bytes("alpha")));
        List<ReplicaAnswer> answers =
                List.of(new ReplicaAnswer.Stored(full.timestamp()), new ReplicaAnswer.Found(plain));
        assertGolden("typed-7.golden", requests, "typed-answers-7.golden", answers);
    }

    /** Both ways, by their bytes: not every answer can be compared with another. */
    private void assertGolden(
            String asked, List<ReplicaRequest> requests, String told, List<ReplicaAnswer> answers)
            throws IOException, MalformedFrameException {
        byte[] request = golden(asked);
        assertThat(hex(PeerCodec.encodeRequests(ASK, requests, SEAL))).isEqualTo(hex(request));
        assertSameRequests(PeerCodec.decodeRequests(request), requests);
        byte[] reply = golden(told);
        byte[] seal = FrameSeal.of(request);
        assertThat(hex(PeerCodec.encodeAnswers(REPLY, answers, seal, SEAL))).isEqualTo(hex(reply));
        PeerCodec.Reply decoded = PeerCodec.decodeReply(reply, seal, requests, SEAL);
        assertThat(decoded).isInstanceOf(PeerCodec.Reply.Answers.class);
        byte[] again =
                PeerCodec.encodeAnswers(
                        REPLY, ((PeerCodec.Reply.Answers) decoded).answers(), seal, SEAL);
        assertThat(hex(again)).isEqualTo(hex(reply));
    }

    private byte[] golden(String name) throws IOException {
        try (InputStream in = getClass().getResourceAsStream(name)) {
            assertThat(in).isNotNull();
            return in.readAllBytes();
        }
    }

    /** What one that is damaged gives to another that has lost the same. */
    @Test
    void scanReadableHasTheLayoutOfScanPage() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.ScanReadable(bytes(""), null, 1),
                        new ReplicaRequest.ScanReadable(bytes("a"), bytes("b"), 262144));
        byte[] golden = golden("readable-7.golden");
        assertThat(hex(PeerCodec.encodeRequests(ASK, requests, SEAL))).isEqualTo(hex(golden));
        assertSameRequests(PeerCodec.decodeRequests(golden), requests);
    }
}
