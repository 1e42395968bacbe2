package dev.quorate.router.message;

import static dev.quorate.router.message.Frames.NEWS;
import static dev.quorate.router.message.Frames.assertRefused;
import static dev.quorate.router.message.Frames.bytes;
import static dev.quorate.router.message.Frames.tombstone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a peer cannot mean, or what answers something else, is refused, and costs nothing. */
final class MisfitAnswersTest {

    @Test
    void aDigestAnswersOnlyADigestRequest() {
        Entry entry = Entry.value(bytes("k"), new Timestamp(5, 5), new byte[600], 3);
        ReplicaAnswer digest = new ReplicaAnswer.Digested(Digest.of(entry));
        assertRefused(new ReplicaRequest.Read(bytes("k")), digest);
        assertRefused(new ReplicaRequest.Inquire(bytes("k")), digest);
        ReplicaRequest asking = new ReplicaRequest.ReadDigest(bytes("k"));
        assertRefused(asking, new ReplicaAnswer.Found(tombstone("another")));
        assertRefused(asking, new ReplicaAnswer.Stored(new Timestamp(5, 5)));
        assertRefused(
                asking,
                new ReplicaAnswer.Digested(new Digest(new Timestamp(5, 5), 3, Entry.NEVER, -1, 0)));
    }

    /** What a peer may say of a key that cannot be: each is refused, and costs nothing. */
    @Test
    void recordsBeyondTheirLimitsAreRefused() {
        byte[] key = bytes("k");
        String news = "00".repeat(20) + "04" + "00".repeat(56) + "00".repeat(32);
        String clock = news + "00".repeat(8) + "01";
        String root = "00".repeat(12);
        String stamp = root + "00";
        for (String answer :
                List.of(
                        "07", // nothing
                        "07" + news + "00".repeat(8), // no whole flag
                        "07" + news + "00".repeat(8) + "02" + "000000", // another whole flag
                        "07" + news + "ff".repeat(8) + "01" + "000000", // settled before 1970
                        "07" + "00".repeat(95) + "01" + "000000", // no condition
                        // more entries than there may be, and all of them are there
                        "07" + clock + "41" + ("00" + stamp + "000000").repeat(65) + "0000",
                        "07" + clock + "00" + "00" + "41" + ("00000001" + stamp).repeat(65),
                        "07" + clock + "ff" + "0000", // a negative number of them
                        "07" + clock + "40", // as many as there may be, and none there
                        "07" + clock + "01" + "03" + stamp + "000000" + "0000", // another place
                        "07" + clock + "01" + "00" + root + "02" + "000000"
                                + "0000", // another form
                        "07"
                                + clock
                                + "01"
                                + "00"
                                + root
                                + "01"
                                + "00".repeat(8)
                                + "000000"
                                + "0000",
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

    @Test
    void giftsThatCannotBeAreRefused() {
        ReplicaRequest give =
                new ReplicaRequest.StreamPage(1, false, List.of(2, 3), bytes("b"), 100);
        Entry b = Entry.value(bytes("b"), new Timestamp(1, 1), bytes("v"), 3);
        Entry c = Entry.value(bytes("c"), new Timestamp(1, 1), bytes("v"), 3);
        assertRefused(give, new ReplicaAnswer.StreamedPage(List.of(c, b), null)); // another order
        assertRefused(give, new ReplicaAnswer.StreamedPage(List.of(b, b), null));
        assertRefused(
                give,
                new ReplicaAnswer.StreamedPage(List.of(b, c), bytes("c"))); // it says so twice
        assertRefused(give, new ReplicaAnswer.StreamedPage(List.of(), bytes("b"))); // it never ends
        assertRefused(give, new ReplicaAnswer.StreamedPage(List.of(), bytes("a")));
        assertRefused(
                new ReplicaRequest.StreamPage(1, false, List.of(2, 3), bytes("c"), 100),
                new ReplicaAnswer.StreamedPage(List.of(b), null)); // before what was asked for
        assertRefused(give, new ReplicaAnswer.Page(List.of(b), true));
        assertRefused(
                new ReplicaRequest.ScanPage(bytes("b"), null, 100),
                new ReplicaAnswer.StreamedPage(List.of(b), null));
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

    @Test
    void aPageInTheOtherOrderIsNoticed() {
        List<Entry> ascending = List.of(tombstone("b"), tombstone("c"));
        ReplicaRequest page = new ReplicaRequest.ScanPage(bytes("b"), bytes("d"), 10);
        ReplicaRequest descending =
                new ReplicaRequest.ScanPage(bytes("b"), bytes("d"), 10, KeyOrder.DESCENDING, false);
        assertRefused(page, new ReplicaAnswer.Page(ascending.reversed(), true));
        assertRefused(descending, new ReplicaAnswer.Page(ascending, true));
        for (String key : List.of("a", "d")) {
            assertRefused(descending, new ReplicaAnswer.Page(List.of(tombstone(key)), true));
        }
    }

    @Test
    void onlyAWaitBelowAPrefixIsAnsweredWithACount() {
        ReplicaRequest key = new ReplicaRequest.Watch(1, 2, 3, bytes("k"));
        ReplicaRequest prefix = new ReplicaRequest.Watch(1, 2, 3, bytes("k"), true);
        assertRefused(key, new ReplicaAnswer.Counted(5));
        assertRefused(new ReplicaRequest.Read(bytes("k")), new ReplicaAnswer.Counted(5));
        assertRefused(prefix, ReplicaAnswer.Absent.ABSENT);
        assertRefused(
                prefix, new ReplicaAnswer.Digested(new Digest(new Timestamp(9, 8), 3, 0, 9, 9)));
    }

    @Test
    void anAnswerToAnotherRequestIsDetected() {
        ReplicaRequest page = new ReplicaRequest.ScanReadable(bytes("b"), bytes("d"), 10);
        assertRefused(page, ReplicaAnswer.Absent.ABSENT);
        assertRefused(page, new ReplicaAnswer.Page(List.of(tombstone("a")), true));
        assertRefused(page, new ReplicaAnswer.Page(List.of(tombstone("d")), true));
        assertRefused(page, new ReplicaAnswer.Page(List.of(tombstone("c"), tombstone("c")), true));
        assertRefused(page, new ReplicaAnswer.StreamedPage(List.of(tombstone("c")), null));
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
                                                        bytes(key), new Timestamp(5, 5), 7))
                                .toList()));
    }
}
