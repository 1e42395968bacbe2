package dev.quorate.node.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.budget.BodyRoom;
import dev.quorate.router.Seed;
import dev.quorate.router.runtime.ByteBudget;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames of WebSockets, as other nodes send them and as nobody should. */
class MessageParserTest {

    private static final int MAX_BYTES = 200_000;

    private final ByteBudget budget = new ByteBudget(10 * MAX_BYTES);
    private final MessageParser parser = new MessageParser(MAX_BYTES, BodyRoom.of(budget));
    private final RandomGenerator random = Seed.random("MessageParserTest");

    /** A frame as RFC 6455 draws it, made by other means than the parser reads it. */
    private static byte[] frame(int first, byte[] payload, byte[] mask) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(first);
        if (payload.length < 126) {
            frame.write(0x80 | payload.length);
        } else if (payload.length < 65_536) {
            frame.write(0x80 | 126);
            frame.writeBytes(ByteBuffer.allocate(2).putShort((short) payload.length).array());
        } else {
            frame.write(0x80 | 127);
            frame.writeBytes(ByteBuffer.allocate(8).putLong(payload.length).array());
        }
        frame.writeBytes(mask);
        for (int i = 0; i < payload.length; i++) {
            frame.write(payload[i] ^ mask[i % 4]);
        }
        return frame.toByteArray();
    }

    private byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Feeds in pieces of random sizes; returns the messages. */
    private List<byte[]> feed(byte[] in, int mostPiece) {
        List<byte[]> messages = new ArrayList<>();
        int at = 0;
        while (at < in.length && parser.failure() == null) {
            int end = Math.min(in.length, at + random.nextInt(1, mostPiece + 1));
            at += parser.feed(in, at, end);
            if (parser.isComplete()) {
                byte[] message = parser.take();
                messages.add(message);
                budget.release(message.length);
                parser.next();
            }
        }
        return messages;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 64, 1_000_000})
    void messagesOfAllLengthsComeThroughInPiecesOfAnySize(int mostPiece) {
        List<byte[]> sent = new ArrayList<>();
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        for (int length : new int[] {0, 1, 7, 8, 9, 125, 126, 127, 65_535, 65_536, MAX_BYTES}) {
            byte[] message = randomBytes(length);
            sent.add(message);
            wire.writeBytes(frame(0x82, message, randomBytes(4)));
        }
        List<byte[]> got = feed(wire.toByteArray(), mostPiece);
        assertThat(got).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(got.get(i)).isEqualTo(sent.get(i));
        }
        assertThat(parser.isAtRest()).isTrue();
        assertThat(budget.usedBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "0x02, a fragment",
        "0x80, a continuation",
        "0x81, text",
        "0x88, a close",
        "0x89, a ping",
        "0x8A, a pong",
        "0xC2, a reserved bit"
    })
    void onlyWholeBinaryMessagesAreAccepted(String first, String what) {
        feed(frame(Integer.decode(first), new byte[5], new byte[4]), 100);
        assertThat(failure().status()).as(what).isEqualTo(400);
    }

    @Test
    void unmaskedMessagesAreRefused() {
        feed(new byte[] {(byte) 0x82, 1, 'x'}, 100);
        assertThat(failure().status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(longs = {MAX_BYTES + 1, 1L << 31, 1L << 62, -1})
    void aMessageThatIsTooLongIsRefusedBeforeMemoryIsReserved(long length) {
        byte[] head =
                ByteBuffer.allocate(14)
                        .put((byte) 0x82)
                        .put((byte) (0x80 | 127))
                        .putLong(length)
                        .array();
        feed(head, 100);
        assertThat(failure().status()).isEqualTo(413);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void aMessageWithoutRoomIsRefused() {
        assertThat(budget.tryReserve(10 * MAX_BYTES - 10)).isTrue();
        feed(frame(0x82, new byte[100], new byte[4]), 50);
        assertThat(failure().status()).isEqualTo(503);
        parser.drop();
        assertThat(budget.usedBytes()).isEqualTo(10 * MAX_BYTES - 10);
    }

    /** Anything at all, in pieces: refused or taken, but never an exception, and nothing leaks. */
    @Test
    void garbageIsRefusedOrTaken() {
        for (int i = 0; i < 20_000; i++) {
            MessageParser fresh = new MessageParser(1_000, BodyRoom.of(budget));
            byte[] garbage = randomBytes(random.nextInt(40));
            if (garbage.length > 1 && random.nextBoolean()) {
                garbage[0] = (byte) 0x82;
                garbage[1] |= (byte) 0x80;
            }
            int at = 0;
            while (at < garbage.length && fresh.failure() == null) {
                at += fresh.feed(garbage, at, Math.min(garbage.length, at + 5));
                if (fresh.isComplete()) {
                    budget.release(fresh.take().length);
                    fresh.next();
                }
            }
            fresh.drop();
            assertThat(budget.usedBytes()).as(Arrays.toString(garbage)).isZero();
        }
    }

    private HttpFailure failure() {
        return Objects.requireNonNull(parser.failure());
    }
}
