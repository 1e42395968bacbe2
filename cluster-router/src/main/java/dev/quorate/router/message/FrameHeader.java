package dev.quorate.router.message;

import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;

/**
 * The header of every frame, in the layout of {@link PeerCodec}.
 *
 * @param kind the kind of the body
 * @param lane the lane of the exchange
 * @param fingerprint of the sender's topology; in the lane for control, of its cluster id
 * @param sender the sending member's number
 * @param recipient the recipient's number. Without it, a request that reaches another member
 *     because of mixed-up addresses would count as the answers of two replicas
 * @param clock the sender's hybrid clock, which advances the recipient's
 * @param exchange the number of the exchange, which a sender uses once in a lane; repeated in the
 *     answer
 * @param life the recipient's life as known to the sender, 0 if unknown: a random number drawn when
 *     a process starts, so that frames for an earlier process are refused. In an answer, the
 *     answering node's life
 * @param remainingMillis the time to the deadline, unsigned; 0 in an answer
 */
public record FrameHeader(
        Kind kind,
        Lane lane,
        long fingerprint,
        int sender,
        int recipient,
        long clock,
        long exchange,
        long life,
        int remainingMillis) {

    /** The kind of a frame. The code is part of the protocol: never renumber. */
    public enum Kind {
        REQUESTS(1),
        ANSWERS(2),
        REFUSAL(3);

        private final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    private static final Kind[] KINDS = Kind.values();
    private static final Lane[] LANES = Lane.values();

    static final int MAGIC = 0x51504558;

    /** The version of messages; other versions are refused. */
    public static final int VERSION = 7;

    static final int VERSION_OFFSET = 4;
    static final int BYTES = 52;

    /** The header of an answer, or of a refusal, to the request with this header. */
    public FrameHeader answer(
            Kind answerKind, long fingerprintHere, long clockHere, long lifeHere) {
        int answering = recipient;
        int asking = sender;
        return new FrameHeader(
                answerKind,
                lane,
                fingerprintHere,
                answering,
                asking,
                clockHere,
                exchange,
                lifeHere,
                0);
    }

    void encode(ByteBuffer to) {
        to.putInt(MAGIC).put((byte) VERSION);
        to.put((byte) kind.code).put((byte) lane.code()).put((byte) 0);
        to.putLong(fingerprint).putInt(sender).putInt(recipient);
        to.putLong(clock).putLong(exchange).putLong(life).putInt(remainingMillis);
    }

    /** Reads a header whose magic and version are checked. */
    static FrameHeader decode(ByteBuffer from) {
        from.position(VERSION_OFFSET + 1);
        Kind kind = Fields.byCode(KINDS, each -> each.code, "frame kind", from);
        Lane lane = Fields.byCode(LANES, Lane::code, "lane", from);
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
                from.getLong(),
                from.getInt());
    }
}
