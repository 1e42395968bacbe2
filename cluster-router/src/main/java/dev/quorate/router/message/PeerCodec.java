package dev.quorate.router.message;

import dev.quorate.router.message.MalformedFrameException.Kind;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Frames: a batch of requests to one node, and its answers.
 *
 * <pre>
 * All numbers are big-endian.
 *
 * Frame
 *   0  magic         u32   "QPEX"
 *   4  version       u8    6
 *   5  kind          u8    1 requests, 2 answers, 3 refusal
 *   6  lane          u8    0 read, 1 write, 2 bulk, 3 repair, 4 control
 *   7  zero          u8
 *   8  fingerprint   u64   of the sender's topology; in lane 4, of its cluster id
 *  16  sender        u32   the sending member's number
 *  20  recipient     u32   the receiving member's number
 *  24  clock         u64   the sender's hybrid clock
 *  32  exchange      u64   chosen by the asking node, repeated in the answer
 *  40  life          u64   of the recipient; in answers, of the sender
 *  48  remaining     u32   milliseconds to the deadline; 0 in answers
 *  52  body                see below
 *      seal          32    HMAC-SHA256, see FrameSeal
 *
 * Body of requests and of answers
 *      count         u32   number of items; answers are in the order of the requests
 *      items               each: length u32, then that many bytes, starting with a type
 *
 * Request: 1 read        key length u16, key
 *          2 write       entry, as in storage's EntryCodec
 *          3 scan page   start length u16, start, has end u8 (0 or 1),
 *                        with 1: end length u16, end; then max bytes u32
 *          4 compare     member u32, salt u32, watermark u64, sum u64, list up to varint, start as
 *                        a key, has end u8 (0 or 1), with 1: end as a key after start
 *          5 inquire     key length u16, key
 *          6 copy        entry: a write of another replica's entry
 *          7 announce    member u32, state
 *          8 stream page member u32, sources u64, max bytes u32, start length u16, start
 *          9 scan readable  as a scan page
 *         10 read digest key length u16, key
 *         11 write given   entry: a write whose version the client gave
 *         12 to 15         questions to an acceptor, see AcceptorCodec
 *         16 stream records  member u32, max bytes u32, start length u16, start
 *         17 traced      trace id u128, parent id u64, flags u8, then any other request
 *         18 scan descending  as a scan page
 *         19 propose     epoch u32, ballot, needed u8, value length u16, value (ASCII)
 *         20 tell        topology length u16, topology (ASCII); answered by 8 announced
 * Answer:  0 deferred    did not fit into the frame: the request must be resent
 *          1 found       entry
 *          2 absent
 *          3 stored      timestamp: the newest of the key
 *          4 page        u8 (1 last, 2 cut, or 0), count u32, entries
 *          5 failed      code u8, detail length u16, detail (ASCII)
 *          6 compared    form u8, then
 *                        0 same
 *                        1 parts    count u8, has end u8 (0 or 1): whether the last has one;
 *                                   each: end as a key after the previous one, sum u64
 *                        2 listing  count varint; each: key after the previous one, timestamp,
 *                                   CRC-32C of the value u32
 *          7 inquired    state, watermark u64, whole u8 (0 or 1); then three lists, each of which
 *                        begins with its count u8, at most 64:
 *                        entries  place, timestamp, flags u8 (1 tombstone, 2 expires), from u8,
 *                                 bytes of the value varint, with 2: expires at i64
 *                        unread   place, timestamp: nothing there is newer; why length u16, why
 *                                 (ASCII)
 *                        hints    member u32, timestamp
 * Place    kind u8: 0 memtable, 1 sealed memtable, 2 table: number u64, level u8
 *          8 announced   state
 *          9 streamed page  more u8 (0 or 1), with 1: next length u16, next; count u32, entries
 *         10 digested    timestamp, from u8, expires at i64, bytes of the value u32, CRC-32C of
 *                        the value and its content type u32
 *         11 to 14       answers of an acceptor, see AcceptorCodec
 *         15 accepting   promised, accepted: timestamps; value length u16, value (ASCII)
 * Timestamp hybrid u64, node u32, has step u8 (0 or 1), with 1: step u64
 * State    life u64, epoch u32, condition u8 (1 empty, 2 founding, 3 rebuilding, 4 whole, 5 returning,
 *          6 stopping), bytes u64, wall clock u64, complete u64, watermark u64: the last three in
 *          milliseconds since 1970; begun at u64, generation u64, count u8, at most 128; each:
 *          member u32, life u64, begun at u64, generation u64; count u8, at most 128; each:
 *          member u32, how the sender sees it u8 (0 unknown, 1 up, 2 down, 3 refused)
 * Key      shared varint: length of the prefix of the previous key; rest varint; the rest
 *
 * Body of a refusal
 *      reason        u8    1 topology, 2 recipient, 3 clock, 4 replay, 5 life
 *      text          u16 length, ASCII
 * </pre>
 *
 * <p>A frame is encoded straight into one array of its exact length. A decoder copies each key and
 * value once, and allocates no more than the frame has bytes, whatever its lengths claim. Only
 * magic and version are read before the seal is checked.
 */
public final class PeerCodec {

    /** The path of the only resource on the peer port. */
    public static final String PATH = "/peer/v1/exchange";

    /**
     * A flag in the status of a message over a WebSocket: the connection ends with this reply, and
     * later messages are not read.
     */
    public static final int LAST_ANSWER = 0x8000;

    /** Maximum bytes of answers in one reply. */
    public static final int MAX_ANSWER_BYTES = 1 << 20;

    /** Maximum number of items of one frame. */
    public static final int MAX_ITEMS = 4096;

    /** Bytes of a frame of requests in addition to its items. */
    public static final int OVERHEAD_BYTES = FrameHeader.BYTES + Integer.BYTES + FrameSeal.BYTES;

    private static final int ITEM_HEAD_BYTES = Integer.BYTES;
    private static final int MIN_ITEM_BYTES = ITEM_HEAD_BYTES + 1;
    private static final int MAX_TEXT_BYTES = 0xFFFF;
    private static final int MIN_FRAME_BYTES = FrameHeader.BYTES + FrameSeal.BYTES;

    private PeerCodec() {}

    /** Bytes of a request in a frame. */
    public static int requestBytes(ReplicaRequest request) {
        return ITEM_HEAD_BYTES + sizeOf(request);
    }

    /** Bytes of an answer in a frame; null is a deferred answer. */
    public static int answerBytes(@Nullable ReplicaAnswer answer) {
        return ITEM_HEAD_BYTES + sizeOf(answer);
    }

    private static int sizeOf(ReplicaRequest request) {
        return FieldWriter.sizeOf(to -> RequestCodec.encode(request, to));
    }

    private static int sizeOf(@Nullable ReplicaAnswer answer) {
        return FieldWriter.sizeOf(to -> AnswerCodec.encode(answer, to));
    }

    /** Encodes a sealed frame of requests. Its length must not exceed 2 GiB. */
    public static byte[] encodeRequests(
            FrameHeader header, List<? extends ReplicaRequest> requests, FrameSeal seal) {
        byte[] frame = frame(header, requests, RequestCodec::encode);
        seal.seal(frame);
        return frame;
    }

    /** Encodes a frame of these items without sealing it. */
    private static <T extends @Nullable Object> byte[] frame(
            FrameHeader header, List<? extends T> items, BiConsumer<T, FieldWriter> encoding) {
        int[] sizes = new int[items.size()];
        long bytes = OVERHEAD_BYTES;
        FieldWriter counter = FieldWriter.counting();
        for (int i = 0; i < sizes.length; i++) {
            int before = counter.count();
            encoding.accept(items.get(i), counter);
            sizes[i] = counter.count() - before;
            bytes += ITEM_HEAD_BYTES + sizes[i];
        }
        byte[] frame = new byte[Math.toIntExact(bytes)];
        FieldWriter to = FieldWriter.to(begin(frame, header, sizes.length));
        for (int i = 0; i < sizes.length; i++) {
            encoding.accept(items.get(i), to.u32(sizes[i]));
        }
        return frame;
    }

    /**
     * Like {@link #encodeRequests} for one write, in three parts: up to the value, the value
     * itself, which is not copied, and the seal.
     */
    public static List<byte[]> encodeLargeWrite(
            FrameHeader header,
            ReplicaRequest.Write write,
            @Nullable TraceParent trace,
            FrameSeal seal) {
        int size = sizeOf(trace == null ? write : new ReplicaRequest.Traced(trace, write));
        byte[] value = write.entry().value();
        byte[] head =
                new byte[OVERHEAD_BYTES - FrameSeal.BYTES + ITEM_HEAD_BYTES + size - value.length];
        ByteBuffer to = begin(head, header, 1);
        to.putInt(size);
        RequestCodec.encodeHead(write, trace, to);
        return List.of(head, value, seal.sealOf(head, value));
    }

    /**
     * Encodes a sealed frame of answers.
     *
     * @param answers in the order of the requests; null where an answer did not fit
     * @param requestSeal the seal of the answered frame
     */
    public static byte[] encodeAnswers(
            FrameHeader header,
            List<? extends @Nullable ReplicaAnswer> answers,
            byte[] requestSeal,
            FrameSeal seal) {
        byte[] frame = frame(header, answers, AnswerCodec::encode);
        seal.sealAnswer(frame, requestSeal);
        return frame;
    }

    /**
     * Like {@link #encodeAnswers}, in three parts: up to a large value, the value itself, which is
     * not copied, and the rest.
     *
     * @param at the position of the answer with that value, a {@link ReplicaAnswer.Found}
     */
    public static List<byte[]> encodeAnswersAround(
            int at,
            FrameHeader header,
            List<? extends @Nullable ReplicaAnswer> answers,
            byte[] requestSeal,
            FrameSeal seal) {
        if (!(answers.get(at) instanceof ReplicaAnswer.Found found)) {
            throw new IllegalArgumentException("no entry at " + at);
        }
        byte[] value = found.entry().value();
        long headBytes = FrameHeader.BYTES + Integer.BYTES - (long) value.length;
        long restBytes = FrameSeal.BYTES;
        for (int i = 0; i < answers.size(); i++) {
            if (i <= at) {
                headBytes += answerBytes(answers.get(i));
            } else {
                restBytes += answerBytes(answers.get(i));
            }
        }
        byte[] head = new byte[Math.toIntExact(headBytes)];
        ByteBuffer to = begin(head, header, answers.size());
        answers.subList(0, at).forEach(answer -> putItem(answer, to));
        to.putInt(sizeOf(found));
        AnswerCodec.encodeHead(found, to);
        byte[] rest = new byte[Math.toIntExact(restBytes)];
        ByteBuffer after = ByteBuffer.wrap(rest);
        answers.subList(at + 1, answers.size()).forEach(answer -> putItem(answer, after));
        seal.sealAnswer(rest, requestSeal, head, value);
        return List.of(head, value, rest);
    }

    private static void putItem(@Nullable ReplicaAnswer answer, ByteBuffer to) {
        to.putInt(sizeOf(answer));
        AnswerCodec.encode(answer, FieldWriter.to(to));
    }

    private static ByteBuffer begin(byte[] frame, FrameHeader header, int count) {
        ByteBuffer to = ByteBuffer.wrap(frame);
        header.encode(to);
        return to.putInt(count);
    }

    /** Encodes a sealed refusal of the frame with {@code requestSeal}. */
    public static byte[] encodeRefusal(
            FrameHeader header,
            RefusalReason reason,
            String text,
            byte[] requestSeal,
            FrameSeal seal) {
        byte[] encoded = Fields.encodeText(text, MAX_TEXT_BYTES);
        byte[] frame = new byte[MIN_FRAME_BYTES + Byte.BYTES + Short.BYTES + encoded.length];
        ByteBuffer to = ByteBuffer.wrap(frame);
        header.encode(to);
        to.put((byte) reason.code());
        to.putShort((short) encoded.length).put(encoded);
        seal.sealAnswer(frame, requestSeal);
        return frame;
    }

    /**
     * A frame of requests whose seal is genuine.
     *
     * @param seal the seal for the answer
     */
    public record Opened(FrameHeader header, FrameSeal seal) {}

    /**
     * Checks the seal of a frame of requests and reads only its header, so that the frame can be
     * refused before its items are decoded.
     */
    public static Opened openRequests(byte[] frame, FrameSeal seal) throws MalformedFrameException {
        requireVersion(frame);
        FrameSeal sealing = seal.thatSealed(frame);
        if (sealing == null) {
            throw new MalformedFrameException(Kind.SEAL, "the seal does not match");
        }
        try {
            FrameHeader header = FrameHeader.decode(ByteBuffer.wrap(frame));
            if (header.kind() != FrameHeader.Kind.REQUESTS) {
                throw new MalformedException("a frame of " + header.kind());
            }
            return new Opened(header, sealing);
        } catch (MalformedException e) {
            throw malformed(e);
        }
    }

    /** Decodes the requests of a frame that {@link #openRequests} has opened. */
    public static List<ReplicaRequest> decodeRequests(byte[] frame) throws MalformedFrameException {
        try {
            ByteBuffer body = body(frame);
            int count = count(body);
            List<ReplicaRequest> requests = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                ByteBuffer item = item(body);
                requests.add(RequestCodec.decode(item));
                requireEnd(item);
            }
            requireEnd(body);
            return requests;
        } catch (MalformedException e) {
            throw malformed(e);
        }
    }

    /**
     * Reads the reply to a frame of requests.
     *
     * @param frame the reply
     * @param requestSeal the seal of the sent frame
     * @param requests the requests in that frame
     */
    public static Reply decodeReply(
            byte[] frame,
            byte[] requestSeal,
            List<? extends ReplicaRequest> requests,
            FrameSeal seal)
            throws MalformedFrameException {
        requireVersion(frame);
        if (!seal.isGenuineAnswer(frame, requestSeal)) {
            throw new MalformedFrameException(Kind.SEAL, "the answer's seal does not match");
        }
        try {
            FrameHeader header = FrameHeader.decode(ByteBuffer.wrap(frame));
            ByteBuffer body = body(frame);
            return switch (header.kind()) {
                case ANSWERS -> new Reply.Answers(header, answers(body, requests));
                case REFUSAL -> refusal(header, body);
                case REQUESTS -> throw new MalformedException("requests in place of answers");
            };
        } catch (MalformedException e) {
            throw malformed(e);
        }
    }

    private static List<@Nullable ReplicaAnswer> answers(
            ByteBuffer body, List<? extends ReplicaRequest> requests) {
        int count = count(body);
        if (count != requests.size()) {
            throw new MalformedException(count + " answers to " + requests.size() + " requests");
        }
        List<@Nullable ReplicaAnswer> answers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ByteBuffer item = item(body);
            answers.add(AnswerCodec.decode(item, requests.get(i)));
            requireEnd(item);
        }
        requireEnd(body);
        return answers;
    }

    private static Reply.Refusal refusal(FrameHeader header, ByteBuffer body) {
        RefusalReason reason =
                Fields.byCode(RefusalReason.values(), RefusalReason::code, "refusal reason", body);
        String text = Fields.text(body);
        requireEnd(body);
        return new Reply.Refusal(header, reason, text);
    }

    private static void requireVersion(byte[] frame) throws MalformedFrameException {
        if (frame.length < MIN_FRAME_BYTES) {
            throw new MalformedFrameException(
                    Kind.MALFORMED, "a frame of " + frame.length + " bytes");
        }
        ByteBuffer head = ByteBuffer.wrap(frame);
        if (head.getInt() != FrameHeader.MAGIC) {
            throw new MalformedFrameException(Kind.MALFORMED, "not a frame");
        }
        int version = head.get() & 0xFF;
        if (version != FrameHeader.VERSION) {
            throw new MalformedFrameException(
                    Kind.VERSION,
                    "protocol version %d, and this node takes %d"
                            .formatted(version, FrameHeader.VERSION));
        }
    }

    private static ByteBuffer body(byte[] frame) {
        int bytes = frame.length - MIN_FRAME_BYTES;
        return ByteBuffer.wrap(frame).slice(FrameHeader.BYTES, bytes);
    }

    private static int count(ByteBuffer body) {
        int count = Fields.u32(body);
        if (count < 0 || count > MAX_ITEMS || count > body.remaining() / MIN_ITEM_BYTES) {
            throw new MalformedException(count + " items");
        }
        return count;
    }

    /** The next item alone, so that a length inside it cannot reach beyond it. */
    private static ByteBuffer item(ByteBuffer body) {
        int bytes = Fields.u32(body);
        if (bytes < 1 || bytes > body.remaining()) {
            throw new MalformedException("item of " + bytes + " bytes");
        }
        ByteBuffer item = body.slice(body.position(), bytes);
        body.position(body.position() + bytes);
        return item;
    }

    private static void requireEnd(ByteBuffer buffer) {
        if (buffer.hasRemaining()) {
            throw new MalformedException(buffer.remaining() + " bytes too many");
        }
    }

    private static MalformedFrameException malformed(MalformedException e) {
        return new MalformedFrameException(Kind.MALFORMED, String.valueOf(e.getMessage()));
    }

    /** The reply to a frame of requests. */
    public sealed interface Reply {

        FrameHeader header();

        /**
         * One answer for each request, in the order of the requests.
         *
         * @param answers null where the answer did not fit: the request must be resent
         */
        record Answers(FrameHeader header, List<@Nullable ReplicaAnswer> answers) implements Reply {
            public Answers {
                answers = Collections.unmodifiableList(answers);
            }
        }

        /** The frame was refused: nothing was executed. */
        record Refusal(FrameHeader header, RefusalReason reason, String text) implements Reply {}
    }
}
