package dev.quorate.node.message;

import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;

/**
 * What every frame begins with. The layout is drawn in {@link PeerCodec}.
 *
 * @param kind what follows
 * @param lane the lane of the exchange
 * @param fingerprint of the sender's topology
 * @param sender the sending member's number
 * @param recipient the number of the member that is meant: a request that reaches another one, by a
 *     mix-up of addresses, would otherwise be counted as two replicas' agreement
 * @param clock the sender's hybrid clock, which moves the recipient's
 * @param exchange numbers the exchange: never used twice by one sender in one lane. An answer
 *     repeats the request's
 * @param remainingMillis to the deadline, unsigned; 0 in an answer
 */
public record FrameHeader(
        Kind kind,
        Lane lane,
        long fingerprint,
        int sender,
        int recipient,
        long clock,
        long exchange,
        int remainingMillis) {

    /** What a frame holds. The wire carries the code: never renumber. */
    public enum Kind {
        REQUESTS(1),
        ANSWERS(2),
        REFUSAL(3);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        static Kind ofCode(int code) {
            return switch (code) {
                case 1 -> REQUESTS;
                case 2 -> ANSWERS;
                case 3 -> REFUSAL;
                default -> throw new MalformedException("frame kind " + code);
            };
        }
    }

    static final int MAGIC = 0x51504558;
    static final int VERSION = 2;
    static final int VERSION_OFFSET = 4;
    static final int BYTES = 44;

    /** The header of an answer, or of a refusal, to the request with this header. */
    public FrameHeader answer(Kind answerKind, long fingerprintHere, long clockHere) {
        int answering = recipient;
        int asking = sender;
        return new FrameHeader(
                answerKind, lane, fingerprintHere, answering, asking, clockHere, exchange, 0);
    }

    void encode(ByteBuffer to) {
        to.putInt(MAGIC).put((byte) VERSION);
        to.put((byte) kind.code).put((byte) lane.code()).put((byte) 0);
        to.putLong(fingerprint).putInt(sender).putInt(recipient);
        to.putLong(clock).putLong(exchange).putInt(remainingMillis);
    }

    /** Reads a header whose magic and version have been looked at. */
    static FrameHeader decode(ByteBuffer from) {
        from.position(VERSION_OFFSET + 1);
        Kind kind = Kind.ofCode(from.get());
        Lane lane = Lane.ofCode(from.get());
        byte zero = from.get();
        if (zero != 0) {
            throw new MalformedException("header byte 7 is " + zero);
        }
        return new FrameHeader(
                kind,
                lane,
                from.getLong(),
                from.getInt(),
                from.getInt(),
                from.getLong(),
                from.getLong(),
                from.getInt());
    }
}
