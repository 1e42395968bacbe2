package dev.quorate.node.message;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.node.Seed;
import dev.quorate.node.message.MalformedFrameException.Kind;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PeerCodecTest {

    private static final FrameSeal SEAL = new FrameSeal("sixteen bytes or more".getBytes(US_ASCII));
    private static final FrameHeader ASK =
            new FrameHeader(
                    FrameHeader.Kind.REQUESTS,
                    Lane.WRITE,
                    0x1122334455667788L,
                    0xAABBCCDD,
                    7,
                    0x019B00000000002AL,
                    99,
                    1500);
    private static final FrameHeader REPLY = ASK.answer(FrameHeader.Kind.ANSWERS, 5, 6);

    /** One request of each kind, with each optional part. */
    private static final List<ReplicaRequest> REQUESTS =
            List.of(
                    new ReplicaRequest.Read(bytes("alpha")),
                    new ReplicaRequest.Write(
                            Entry.value(bytes("k"), new Timestamp(0x10000, 1), bytes("v"), 3)),
                    new ReplicaRequest.Write(
                            Entry.tombstone(bytes("gone"), new Timestamp(0x20001, -1), 2)),
                    new ReplicaRequest.Write(
                            Entry.expiring(bytes("e"), new Timestamp(-2, 3), bytes(""), 255, 77)),
                    new ReplicaRequest.ScanPage(bytes(""), null, 1),
                    new ReplicaRequest.ScanPage(bytes("a"), bytes("b"), 262144),
                    new ReplicaRequest.Read(bytes("beta")),
                    new ReplicaRequest.Read(bytes("gamma")));

    private static final List<@Nullable ReplicaAnswer> ANSWERS =
            Arrays.asList(
                    new ReplicaAnswer.Found(
                            Entry.value(bytes("alpha"), new Timestamp(9, 8), bytes("12"), 1)),
                    new ReplicaAnswer.Stored(new Timestamp(0x10000, 1)),
                    new ReplicaAnswer.Stored(new Timestamp(0x20002, 0)),
                    new ReplicaAnswer.Failed(Failure.DISK_FULL, "no space"),
                    new ReplicaAnswer.Page(List.of(), true),
                    new ReplicaAnswer.Page(
                            List.of(
                                    Entry.tombstone(bytes("a"), new Timestamp(3, 3), 3),
                                    Entry.value(bytes("aa"), new Timestamp(4, 4), bytes(""), 3)),
                            false),
                    ReplicaAnswer.Absent.ABSENT,
                    null);

    private static final MemberNews NEWS =
            new MemberNews(0, MemberNews.Condition.WHOLE, 0, 0, 0, 0);

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    @Test
    void requestsAreAsInTheFirstRelease() throws Exception {
        byte[] golden = golden("requests-1.golden");
        assertThat(hex(PeerCodec.encodeRequests(ASK, REQUESTS, SEAL))).isEqualTo(hex(golden));
        assertThat(PeerCodec.openRequests(golden, SEAL)).isEqualTo(ASK);
        assertSameRequests(PeerCodec.decodeRequests(golden), REQUESTS);
    }

    @Test
    void answersAreAsInTheFirstRelease() throws Exception {
        byte[] request = golden("requests-1.golden");
        byte[] golden = golden("answers-1.golden");
        assertThat(hex(PeerCodec.encodeAnswers(REPLY, ANSWERS, FrameSeal.of(request), SEAL)))
                .isEqualTo(hex(golden));
        assertThat(PeerCodec.decodeReply(golden, FrameSeal.of(request), REQUESTS, SEAL))
                .isEqualTo(new PeerReply.Answers(REPLY, ANSWERS));
    }

    /** What replicas that differ send each other, of each form. */
    @Test
    void comparisonsAreAsInTheFirstRelease() throws Exception {
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
                                                        bytes("key1"), new Timestamp(5, 6)),
                                                new ComparedRange.Listed(
                                                        bytes("key12"), new Timestamp(-1, -1))))),
                        new ReplicaAnswer.Compared(
                                new ComparedRange.Parts(
                                        List.of(
                                                new ComparedRange.Part(bytes("key1"), 1),
                                                new ComparedRange.Part(bytes("key15"), -2),
                                                new ComparedRange.Part(null, 3)))));
        byte[] golden = golden("comparisons-1.golden");
        assertThat(hex(PeerCodec.encodeRequests(ASK, requests, SEAL))).isEqualTo(hex(golden));
        assertSameRequests(PeerCodec.decodeRequests(golden), requests);
        byte[] reply = golden("compared-1.golden");
        assertThat(hex(PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(golden), SEAL)))
                .isEqualTo(hex(reply));
        PeerReply decoded = PeerCodec.decodeReply(reply, FrameSeal.of(golden), requests, SEAL);
        byte[] again =
                PeerCodec.encodeAnswers(
                        REPLY, ((PeerReply.Answers) decoded).answers(), FrameSeal.of(golden), SEAL);
        assertThat(hex(again)).isEqualTo(hex(reply));
    }

    /** What nodes tell each other of a key, with each optional part. */
    @Test
    void inquiriesAreAsInTheFirstRelease() throws Exception {
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
                                        new MemberNews(
                                                -1, MemberNews.Condition.REBUILDING, 1, 2, 3, 4),
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
                                                        new Timestamp(0x10000, 1),
                                                        false,
                                                        0,
                                                        300,
                                                        77)),
                                        List.of(
                                                new Unread(
                                                        new Place.Table(27, 0),
                                                        new Timestamp(9, 8),
                                                        "block")),
                                        List.of(new HeldKey.Hint(7, new Timestamp(3, 4))))));
        byte[] golden = golden("inquiries-1.golden");
        assertThat(hex(PeerCodec.encodeRequests(ASK, requests, SEAL))).isEqualTo(hex(golden));
        assertSameRequests(PeerCodec.decodeRequests(golden), requests);
        byte[] reply = golden("inquired-1.golden");
        assertThat(hex(PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(golden), SEAL)))
                .isEqualTo(hex(reply));
        assertThat(PeerCodec.decodeReply(reply, FrameSeal.of(golden), requests, SEAL))
                .isEqualTo(new PeerReply.Answers(REPLY, new ArrayList<>(answers)));
    }

    /** What a peer may say of a key that cannot be: each is refused, and costs nothing. */
    @Test
    void whatCannotBeHeldIsRefused() {
        byte[] key = bytes("k");
        String news = "00".repeat(8) + "04" + "00".repeat(32);
        String clock = news + "00".repeat(8) + "01";
        String stamp = "00".repeat(12);
        for (String answer :
                List.of(
                        "07", // nothing
                        "07" + news + "00".repeat(8), // no whole flag
                        "07" + news + "00".repeat(8) + "02" + "000000", // another whole flag
                        "07" + news + "ff".repeat(8) + "01" + "000000", // settled before 1970
                        "07" + "00".repeat(49) + "01" + "000000", // no condition
                        // more entries than there may be, and all of them are there
                        "07" + clock + "41" + ("00" + stamp + "000000").repeat(65) + "0000",
                        "07" + clock + "00" + "00" + "41" + ("00000001" + stamp).repeat(65),
                        "07" + clock + "ff" + "0000", // a negative number of them
                        "07" + clock + "40", // as many as there may be, and none there
                        "07" + clock + "01" + "03" + stamp + "000000" + "0000", // another place
                        "07" + clock + "01" + "00" + stamp + "040000" + "0000", // another flag
                        "07" + clock + "01" + "00" + stamp + "800000" + "0000",
                        "07" + clock + "01" + "00" + stamp + "010001" + "0000", // no tombstone
                        "07"
                                + clock
                                + "01"
                                + "00"
                                + stamp
                                + "0300"
                                + "00"
                                + "00".repeat(8)
                                + "0000",
                        "07"
                                + clock
                                + "01"
                                + "00"
                                + stamp
                                + "0200"
                                + "00"
                                + "00".repeat(8)
                                + "0000",
                        "07"
                                + clock
                                + "01"
                                + "00"
                                + stamp
                                + "0200"
                                + "00"
                                + "ff".repeat(8)
                                + "0000",
                        "07" + clock + "01" + "00" + stamp + "0000" + "ffffffff07" + "0000", // huge
                        "07"
                                + clock
                                + "01"
                                + "02"
                                + "ff".repeat(8)
                                + "00"
                                + stamp
                                + "000000"
                                + "0000",
                        "07"
                                + clock
                                + "01"
                                + "02"
                                + "00".repeat(8)
                                + "ff"
                                + stamp
                                + "000000"
                                + "0000",
                        "07" + clock + "00" + "01" + "00" + stamp + "ffff" + "00", // a long text
                        "07" + clock + "00" + "00" + "41",
                        "07" + clock + "00" + "00" + "01" + "00000001", // half a hint
                        "07" + clock + "000000" + "00")) { // one byte too many
            assertThatThrownBy(() -> decode(HexFormat.of().parseHex(answer), key))
                    .as(answer)
                    .isInstanceOf(MalformedException.class);
        }
        assertThat(decode(HexFormat.of().parseHex("07" + clock + "000000"), key)).isNotNull();
        assertRefused(
                new ReplicaRequest.Read(key),
                new ReplicaAnswer.Inquired(
                        new HeldKey(NEWS, 0, true, List.of(), List.of(), List.of())));
        assertRefused(new ReplicaRequest.Inquire(key), ReplicaAnswer.Absent.ABSENT);
        assertThatThrownBy(() -> RequestCodec.decode(ByteBuffer.wrap(new byte[] {5, 0, 0})))
                .isInstanceOf(MalformedException.class);
    }

    private static @Nullable ReplicaAnswer decode(byte[] answer, byte[] key) {
        ByteBuffer from = ByteBuffer.wrap(answer);
        ReplicaAnswer decoded = AnswerCodec.decode(from, new ReplicaRequest.Inquire(key));
        if (from.hasRemaining()) {
            throw new MalformedException("too long, as the frame's reader would find");
        }
        return decoded;
    }

    /** However much a node holds, what it tells is small. */
    @Test
    void theLargestAnswerToAnInquiryIsSmall() {
        Timestamp late = new Timestamp(-1, -1);
        Place table = new Place.Table(Long.MAX_VALUE, 6);
        HeldKey held =
                new HeldKey(
                        NEWS,
                        Long.MAX_VALUE,
                        true,
                        Collections.nCopies(
                                HeldKey.MOST,
                                new Held(
                                        table,
                                        late,
                                        false,
                                        255,
                                        Entry.MAX_VALUE_BYTES,
                                        Long.MAX_VALUE)),
                        Collections.nCopies(
                                HeldKey.MOST, new Unread(table, late, "x".repeat(10_000))),
                        Collections.nCopies(HeldKey.MOST, new HeldKey.Hint(-1, late)));
        assertThat(PeerCodec.answerBytes(new ReplicaAnswer.Inquired(held))).isLessThan(16 << 10);
    }

    /** What a member that lost its disk asks for, and what it is given. */
    @Test
    void giftsAreAsInTheFirstRelease() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.Give(7, 5, bytes(""), 524288),
                        new ReplicaRequest.Give(-7, -1, bytes("key1"), 1));
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.Given(
                                List.of(
                                        Entry.tombstone(bytes("a"), new Timestamp(3, 3), 3),
                                        Entry.value(
                                                bytes("aa"), new Timestamp(4, 4), bytes("v"), 3)),
                                bytes("key1")),
                        new ReplicaAnswer.Given(List.of(), null));
        byte[] golden = golden("gifts-1.golden");
        assertThat(hex(PeerCodec.encodeRequests(ASK, requests, SEAL))).isEqualTo(hex(golden));
        assertSameRequests(PeerCodec.decodeRequests(golden), requests);
        byte[] reply = golden("given-1.golden");
        assertThat(hex(PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(golden), SEAL)))
                .isEqualTo(hex(reply));
        assertThat(PeerCodec.decodeReply(reply, FrameSeal.of(golden), requests, SEAL))
                .isInstanceOf(PeerReply.Answers.class);
    }

    @Test
    void giftsThatCannotBeAreRefused() {
        ReplicaRequest give = new ReplicaRequest.Give(1, 3, bytes("b"), 100);
        Entry b = Entry.value(bytes("b"), new Timestamp(1, 1), bytes("v"), 3);
        Entry c = Entry.value(bytes("c"), new Timestamp(1, 1), bytes("v"), 3);
        assertRefused(give, new ReplicaAnswer.Given(List.of(c, b), null)); // another order
        assertRefused(give, new ReplicaAnswer.Given(List.of(b, b), null));
        assertRefused(give, new ReplicaAnswer.Given(List.of(b, c), bytes("c"))); // it says so twice
        assertRefused(give, new ReplicaAnswer.Given(List.of(), bytes("b"))); // it never ends
        assertRefused(give, new ReplicaAnswer.Given(List.of(), bytes("a")));
        assertRefused(
                new ReplicaRequest.Give(1, 3, bytes("c"), 100),
                new ReplicaAnswer.Given(List.of(b), null)); // before what was asked for
        assertRefused(give, new ReplicaAnswer.Page(List.of(b), true));
        assertRefused(
                new ReplicaRequest.ScanPage(bytes("b"), null, 100),
                new ReplicaAnswer.Given(List.of(b), null));
        for (String request :
                List.of(
                        "08", // nothing
                        "08" + "00".repeat(12) + "00000000" + "0000", // of no bytes
                        "08" + "00".repeat(12) + "ffffffff" + "0000",
                        "08" + "00".repeat(12) + "00000001" + "0002" + "61")) { // cut off
            assertThatThrownBy(
                            () ->
                                    RequestCodec.decode(
                                            ByteBuffer.wrap(HexFormat.of().parseHex(request))))
                    .as(request)
                    .isInstanceOf(MalformedException.class);
        }
        for (String answer :
                List.of(
                        "09",
                        "0902" + "00000000", // another flag
                        "0901" + "ffff", // a long key that is not there
                        "0900" + "7fffffff", // many entries that are not there
                        "0900" + "ffffffff")) {
            assertThatThrownBy(
                            () ->
                                    AnswerCodec.decode(
                                            ByteBuffer.wrap(HexFormat.of().parseHex(answer)), give))
                    .as(answer)
                    .isInstanceOf(MalformedException.class);
        }
    }

    /** What members tell each other of themselves, and copies of what another has. */
    @Test
    void newsAndCopiesAreAsInTheFirstRelease() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        ReplicaRequest.Write.copyOf(
                                Entry.value(bytes("k"), new Timestamp(0x10000, 1), bytes("v"), 3)),
                        new ReplicaRequest.Announce(
                                7, new MemberNews(-1, MemberNews.Condition.EMPTY, 0, 4, 0, 0)));
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.Stored(new Timestamp(0x10000, 1)),
                        new ReplicaAnswer.Announced(
                                new MemberNews(2, MemberNews.Condition.WHOLE, 3, 4, 5, 6)));
        byte[] golden = golden("news-1.golden");
        assertThat(hex(PeerCodec.encodeRequests(ASK, requests, SEAL))).isEqualTo(hex(golden));
        assertSameRequests(PeerCodec.decodeRequests(golden), requests);
        byte[] reply = golden("told-1.golden");
        assertThat(hex(PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(golden), SEAL)))
                .isEqualTo(hex(reply));
        assertThat(PeerCodec.decodeReply(reply, FrameSeal.of(golden), requests, SEAL))
                .isEqualTo(new PeerReply.Answers(REPLY, answers));
    }

    @Test
    void refusalsAreAsInTheFirstRelease() throws Exception {
        byte[] request = golden("requests-1.golden");
        byte[] golden = golden("refusal-1.golden");
        FrameHeader header = ASK.answer(FrameHeader.Kind.REFUSAL, 5, 6);
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
                .isEqualTo(new PeerReply.Refusal(header, RefusalReason.TOPOLOGY, text));
    }

    private byte[] golden(String name) throws IOException {
        try (InputStream in = getClass().getResourceAsStream(name)) {
            assertThat(in).isNotNull();
            return in.readAllBytes();
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void whatIsEncodedIsDecoded() throws Exception {
        RandomGenerator random = Seed.random("PeerCodecTest.whatIsEncodedIsDecoded");
        Messages messages = new Messages(random);
        for (int i = 0; i < 500; i++) {
            List<ReplicaRequest> requests = messages.requests(20);
            byte[] frame = PeerCodec.encodeRequests(ASK, requests, SEAL);
            int expectedBytes =
                    PeerCodec.OVERHEAD_BYTES
                            + requests.stream().mapToInt(PeerCodec::requestBytes).sum();
            assertThat(frame).hasSize(expectedBytes);
            PeerCodec.openRequests(frame, SEAL);
            assertSameRequests(PeerCodec.decodeRequests(frame), requests);

            List<@Nullable ReplicaAnswer> answers = new ArrayList<>();
            requests.forEach(request -> answers.add(messages.answer(request)));
            byte[] reply = PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(frame), SEAL);
            PeerReply decoded = PeerCodec.decodeReply(reply, FrameSeal.of(frame), requests, SEAL);
            // Records of arrays compare by identity.
            assertThat(
                            hex(
                                    PeerCodec.encodeAnswers(
                                            decoded.header(),
                                            ((PeerReply.Answers) decoded).answers(),
                                            FrameSeal.of(frame),
                                            SEAL)))
                    .isEqualTo(hex(reply));
        }
    }

    @Test
    void aTextOfAnyCharactersKeepsItsPlace() throws Exception {
        List<ReplicaRequest> requests = List.of(new ReplicaRequest.Read(bytes("k")));
        byte[] frame = PeerCodec.encodeRequests(ASK, requests, SEAL);
        List<ReplicaAnswer> answers =
                List.of(
                        new ReplicaAnswer.Failed(
                                Failure.FAILED, "\ud83d\ude00 ü\n" + "x".repeat(999)));
        byte[] reply = PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(frame), SEAL);
        assertThat(PeerCodec.decodeReply(reply, FrameSeal.of(frame), requests, SEAL))
                .isEqualTo(
                        new PeerReply.Answers(
                                REPLY,
                                List.of(
                                        new ReplicaAnswer.Failed(
                                                Failure.FAILED, "?? ??" + "x".repeat(251)))));
    }

    @Test
    void aChangedByteAnywhereIsNoticed() {
        byte[] frame = PeerCodec.encodeRequests(ASK, REQUESTS, SEAL);
        for (int i = 0; i < frame.length; i++) {
            byte[] changed = frame.clone();
            changed[i] ^= 1;
            assertThatThrownBy(() -> PeerCodec.openRequests(changed, SEAL))
                    .isInstanceOf(MalformedFrameException.class);
        }
    }

    @Test
    void aFrameCutAnywhereIsNoticed() {
        byte[] frame = PeerCodec.encodeRequests(ASK, REQUESTS, SEAL);
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThatThrownBy(() -> PeerCodec.openRequests(cut, SEAL))
                    .isInstanceOf(MalformedFrameException.class);
        }
    }

    @Test
    void anotherSecretOrVersionIsNamed() {
        byte[] frame = PeerCodec.encodeRequests(ASK, REQUESTS, SEAL);
        FrameSeal other = new FrameSeal("another sixteen bytes".getBytes(US_ASCII));
        assertThat(kindOf(frame, other)).isEqualTo(Kind.SEAL);
        frame[FrameHeader.VERSION_OFFSET] = 2;
        assertThat(kindOf(frame, SEAL)).isEqualTo(Kind.VERSION);
        frame[0] = 0;
        assertThat(kindOf(frame, SEAL)).isEqualTo(Kind.MALFORMED);
    }

    private static @Nullable Kind kindOf(byte[] frame, FrameSeal seal) {
        try {
            PeerCodec.openRequests(frame, seal);
            return null;
        } catch (MalformedFrameException e) {
            return e.kind();
        }
    }

    @Test
    void anAnswerFitsOneRequestAlone() throws Exception {
        List<ReplicaRequest> requests = List.of(new ReplicaRequest.Read(bytes("k")));
        List<ReplicaAnswer> answers = List.of(ReplicaAnswer.Absent.ABSENT);
        byte[] request = PeerCodec.encodeRequests(ASK, requests, SEAL);
        byte[] reply = PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(request), SEAL);
        FrameHeader later =
                new FrameHeader(
                        ASK.kind(),
                        ASK.lane(),
                        ASK.fingerprint(),
                        ASK.sender(),
                        ASK.recipient(),
                        ASK.clock(),
                        ASK.exchange() + 1,
                        ASK.remainingMillis());
        byte[] laterRequest = PeerCodec.encodeRequests(later, requests, SEAL);
        assertThat(PeerCodec.decodeReply(reply, FrameSeal.of(request), requests, SEAL)).isNotNull();
        assertThatThrownBy(
                        () ->
                                PeerCodec.decodeReply(
                                        reply, FrameSeal.of(laterRequest), requests, SEAL))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("seal");
        assertThatThrownBy(
                        () -> PeerCodec.decodeReply(request, FrameSeal.of(request), requests, SEAL))
                .as("a request sent back")
                .isInstanceOf(MalformedFrameException.class);
        assertThatThrownBy(() -> PeerCodec.openRequests(reply, SEAL))
                .as("an answer sent as a request")
                .isInstanceOf(MalformedFrameException.class);
    }

    @Test
    void anAnswerToSomethingElseIsNoticed() {
        ReplicaRequest read = new ReplicaRequest.Read(bytes("k"));
        ReplicaRequest write =
                new ReplicaRequest.Write(Entry.tombstone(bytes("k"), new Timestamp(5, 5), 1));
        ReplicaRequest page = new ReplicaRequest.ScanPage(bytes("b"), bytes("d"), 10);
        assertRefused(read, new ReplicaAnswer.Stored(new Timestamp(5, 5)));
        assertRefused(read, new ReplicaAnswer.Page(List.of(), true));
        assertRefused(read, new ReplicaAnswer.Found(tombstone("x")));
        assertRefused(write, ReplicaAnswer.Absent.ABSENT);
        assertRefused(write, new ReplicaAnswer.Stored(new Timestamp(5, 4)));
        assertRefused(page, ReplicaAnswer.Absent.ABSENT);
        assertRefused(page, new ReplicaAnswer.Page(List.of(tombstone("a")), true));
        assertRefused(page, new ReplicaAnswer.Page(List.of(tombstone("d")), true));
        assertRefused(page, new ReplicaAnswer.Page(List.of(tombstone("c"), tombstone("c")), true));
        assertRefused(page, new ReplicaAnswer.Page(List.of(), false));
    }

    /** What one that is damaged gives to another that has lost the same. */
    @Test
    void whatCanBeReadIsAskedForAsInTheFirstRelease() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.ScanReadable(bytes(""), null, 1),
                        new ReplicaRequest.ScanReadable(bytes("a"), bytes("b"), 262144));
        byte[] golden = golden("readable-1.golden");
        assertThat(hex(PeerCodec.encodeRequests(ASK, requests, SEAL))).isEqualTo(hex(golden));
        assertSameRequests(PeerCodec.decodeRequests(golden), requests);
    }

    @Test
    void whatCouldBeReadOfSomethingElseIsNoticed() {
        ReplicaRequest page = new ReplicaRequest.ScanReadable(bytes("b"), bytes("d"), 10);
        assertRefused(page, ReplicaAnswer.Absent.ABSENT);
        assertRefused(page, new ReplicaAnswer.Page(List.of(tombstone("a")), true));
        assertRefused(page, new ReplicaAnswer.Page(List.of(tombstone("d")), true));
        assertRefused(page, new ReplicaAnswer.Page(List.of(tombstone("c"), tombstone("c")), true));
        assertRefused(page, new ReplicaAnswer.Given(List.of(tombstone("c")), null));
    }

    @Test
    void aComparisonOfSomethingElseIsNoticed() {
        ReplicaRequest read = new ReplicaRequest.Read(bytes("k"));
        ReplicaRequest compare = new ReplicaRequest.Compare(1, 2, 0, 3, bytes("b"), bytes("d"), 2);
        assertRefused(read, new ReplicaAnswer.Compared(ComparedRange.Same.SAME));
        assertRefused(compare, ReplicaAnswer.Absent.ABSENT);
        assertRefused(compare, parts("b"));
        assertRefused(compare, parts("c", "c"));
        assertRefused(compare, parts("d"));
        assertRefused(compare, listing("a"));
        assertRefused(compare, listing("d"));
        assertRefused(compare, listing("c", "c"));
        assertRefused(compare, listing("ba", "bb", "bc"));
    }

    private static ReplicaAnswer parts(String... ends) {
        return new ReplicaAnswer.Compared(
                new ComparedRange.Parts(
                        Arrays.stream(ends)
                                .map(end -> new ComparedRange.Part(bytes(end), 1))
                                .toList()));
    }

    private static ReplicaAnswer listing(String... keys) {
        return new ReplicaAnswer.Compared(
                new ComparedRange.Listing(
                        Arrays.stream(keys)
                                .map(
                                        key ->
                                                new ComparedRange.Listed(
                                                        bytes(key), new Timestamp(5, 5)))
                                .toList()));
    }

    private static Entry tombstone(String key) {
        return Entry.tombstone(bytes(key), new Timestamp(5, 5), 1);
    }

    private static void assertRefused(ReplicaRequest request, ReplicaAnswer answer) {
        byte[] frame = PeerCodec.encodeRequests(ASK, List.of(request), SEAL);
        byte[] reply = PeerCodec.encodeAnswers(REPLY, List.of(answer), FrameSeal.of(frame), SEAL);
        assertThatThrownBy(
                        () ->
                                PeerCodec.decodeReply(
                                        reply, FrameSeal.of(frame), List.of(request), SEAL))
                .isInstanceOf(MalformedFrameException.class);
    }

    /** What a node with the secret but with a bug, or with malice, may send. */
    @Test
    void sealedNonsenseIsRefusedWithoutHarm() {
        RandomGenerator random = Seed.random("PeerCodecTest.sealedNonsense");
        Messages messages = new Messages(random);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            List<ReplicaRequest> requests = messages.requests(6);
            byte[] request = PeerCodec.encodeRequests(ASK, requests, SEAL);
            List<@Nullable ReplicaAnswer> answers = new ArrayList<>();
            requests.forEach(r -> answers.add(messages.answer(r)));
            byte[] reply = PeerCodec.encodeAnswers(REPLY, answers, FrameSeal.of(request), SEAL);

            byte[] mangledRequest = mangle(request, random);
            SEAL.seal(mangledRequest);
            byte[] mangledReply = mangle(reply, random);
            SEAL.sealAnswer(mangledReply, FrameSeal.of(request));
            try {
                PeerCodec.openRequests(mangledRequest, SEAL);
                PeerCodec.decodeRequests(mangledRequest);
                PeerCodec.decodeReply(mangledReply, FrameSeal.of(request), requests, SEAL);
            } catch (MalformedFrameException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10_000);
    }

    /** Changes bytes, cuts, grows, or plants a huge length. */
    private static byte[] mangle(byte[] frame, RandomGenerator random) {
        byte[] mangled = frame.clone();
        switch (random.nextInt(4)) {
            case 0 -> {
                for (int i = random.nextInt(1, 5); i > 0; i--) {
                    mangled[random.nextInt(mangled.length)] = (byte) random.nextInt();
                }
            }
            case 1 ->
                    mangled =
                            Arrays.copyOf(
                                    mangled, random.nextInt(FrameSeal.BYTES, mangled.length + 1));
            case 2 -> mangled = Arrays.copyOf(mangled, mangled.length + random.nextInt(1, 50));
            default -> {
                int[] lengths = {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 0, 1 << 28, 4096};
                ByteBuffer.wrap(mangled)
                        .putInt(
                                random.nextInt(mangled.length - 3),
                                lengths[random.nextInt(lengths.length)]);
            }
        }
        return mangled;
    }

    private static void assertSameRequests(List<ReplicaRequest> got, List<ReplicaRequest> wanted) {
        // Records of arrays compare by identity: their encodings say whether they are the same.
        assertThat(got).hasSameSizeAs(wanted);
        assertThat(hex(PeerCodec.encodeRequests(ASK, got, SEAL)))
                .isEqualTo(hex(PeerCodec.encodeRequests(ASK, wanted, SEAL)));
    }
}
