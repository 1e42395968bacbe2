package dev.quorate.node.message;

import dev.quorate.node.message.MemberState.Condition;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A member's state. The layout is drawn in {@link PeerCodec}. */
final class MemberStateCodec {

    private static final int HEAD_BYTES = 7 * Long.BYTES + 2 * Byte.BYTES;
    private static final int LIFE_BYTES = Integer.BYTES + 3 * Long.BYTES;
    private static final int VIEW_BYTES = Integer.BYTES + Byte.BYTES;

    private MemberStateCodec() {}

    static int encodedSize(MemberState state) {
        return HEAD_BYTES
                + state.known().size() * LIFE_BYTES
                + Byte.BYTES
                + state.sees().size() * VIEW_BYTES;
    }

    static void encode(MemberState state, ByteBuffer to) {
        to.putLong(state.life()).put((byte) state.condition().code());
        to.putLong(state.bytes()).putLong(state.wallMillis());
        to.putLong(state.completeMillis()).putLong(state.gcWatermarkMillis());
        to.putLong(state.begunAt()).putLong(state.generation());
        to.put((byte) state.known().size());
        for (KnownLife each : state.known()) {
            to.putInt(each.member()).putLong(each.life());
            to.putLong(each.begunAt()).putLong(each.generation());
        }
        to.put((byte) state.sees().size());
        for (PeerView each : state.sees()) {
            to.putInt(each.member()).put((byte) each.sight().code());
        }
    }

    static MemberState decode(ByteBuffer from) {
        Fields.require(from, HEAD_BYTES);
        long life = from.getLong();
        Condition condition = conditionOf(from.get());
        long bytes = count(from);
        long wallMillis = millis(from);
        long completeMillis = millis(from);
        long gcWatermarkMillis = millis(from);
        KnownLife own = decodeGenerations(0, life, from);
        int count = from.get() & 0xFF;
        if (count > MemberState.MAX_KNOWN) {
            throw new MalformedException(count + " lives");
        }
        Fields.require(from, count * LIFE_BYTES);
        List<KnownLife> known = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            known.add(decodeGenerations(from.getInt(), from.getLong(), from));
        }
        return new MemberState(
                life,
                condition,
                bytes,
                wallMillis,
                completeMillis,
                gcWatermarkMillis,
                own.begunAt(),
                own.generation(),
                known,
                decodeViews(from));
    }

    private static List<PeerView> decodeViews(ByteBuffer from) {
        Fields.require(from, Byte.BYTES);
        int count = from.get() & 0xFF;
        if (count > MemberState.MAX_KNOWN) {
            throw new MalformedException(count + " peers");
        }
        Fields.require(from, count * VIEW_BYTES);
        List<PeerView> views = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            views.add(new PeerView(from.getInt(), sightOf(from.get())));
        }
        return views;
    }

    private static PeerView.Sight sightOf(byte code) {
        for (PeerView.Sight sight : PeerView.Sight.values()) {
            if (sight.code() == code) {
                return sight;
            }
        }
        throw new MalformedException("sight " + code);
    }

    private static KnownLife decodeGenerations(int member, long life, ByteBuffer from) {
        long begunAt = from.getLong();
        long generation = from.getLong();
        if (begunAt < 0 || generation < begunAt) {
            throw new MalformedException("a life from " + begunAt + " to " + generation);
        }
        return new KnownLife(member, life, begunAt, generation);
    }

    /** A moment since 1970. */
    static long millis(ByteBuffer from) {
        return notNegative(from.getLong(), "a moment before 1970");
    }

    private static long count(ByteBuffer from) {
        return notNegative(from.getLong(), "fewer than no bytes");
    }

    private static long notNegative(long value, String otherwise) {
        if (value < 0) {
            throw new MalformedException(otherwise);
        }
        return value;
    }

    private static Condition conditionOf(byte code) {
        for (Condition condition : Condition.values()) {
            if (condition.code() == code) {
                return condition;
            }
        }
        throw new MalformedException("condition " + code);
    }
}
