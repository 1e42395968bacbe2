package dev.quorate.router.message;

import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberState.Load;
import dev.quorate.router.message.MemberState.PeerView;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Codec of {@link MemberState}, in the layout of {@link PeerCodec}. */
final class MemberStateCodec {

    private MemberStateCodec() {}

    static void encode(MemberState state, FieldWriter to) {
        to.u64(state.life()).u32(state.epoch()).u32(state.clean()).u32(state.proved());
        to.u8(state.condition().code());
        to.u64(state.bytes()).u64(state.freeBytes());
        to.u64(state.gainedBytes()).u64(state.toGainBytes()).u64(state.wallMillis());
        to.u64(state.completeMillis()).u64(state.gcWatermarkMillis());
        to.u64(state.begunAt()).u64(state.generation());
        to.u8(state.known().size());
        for (KnownLife each : state.known()) {
            to.u32(each.member()).u64(each.life()).u64(each.begunAt()).u64(each.generation());
        }
        to.u8(state.sees().size());
        for (PeerView each : state.sees()) {
            to.u32(each.member()).u8(each.standing().code());
        }
        Load load = state.load();
        to.bytes(Fields.encodeText(load.version(), Load.MAX_VERSION));
        to.u32(load.operations()).u32(load.getMicros()).u32(load.putMicros());
    }

    static MemberState decode(ByteBuffer from) {
        long life = Fields.u64(from);
        int epoch = Fields.u32(from);
        int clean = Fields.u32(from);
        int proved = Fields.u32(from);
        Condition condition = Fields.byCode(Condition.values(), Condition::code, "condition", from);
        long bytes = bytes(from);
        long freeBytes = bytes(from);
        long gainedBytes = bytes(from);
        long toGainBytes = bytes(from);
        long wallMillis = Fields.millis(from);
        long completeMillis = Fields.millis(from);
        long gcWatermarkMillis = Fields.millis(from);
        KnownLife own = decodeGenerations(0, life, from);
        List<KnownLife> known = new ArrayList<>();
        for (int left = Fields.count(MemberState.MAX_KNOWN, from); left > 0; left--) {
            known.add(decodeGenerations(Fields.u32(from), Fields.u64(from), from));
        }
        List<PeerView> views = new ArrayList<>();
        for (int left = Fields.count(MemberState.MAX_KNOWN, from); left > 0; left--) {
            int member = Fields.u32(from);
            views.add(
                    new PeerView(
                            member,
                            Fields.byCode(
                                    PeerStanding.values(), PeerStanding::code, "standing", from)));
        }
        return new MemberState(
                life,
                epoch,
                clean,
                proved,
                condition,
                bytes,
                freeBytes,
                gainedBytes,
                toGainBytes,
                wallMillis,
                completeMillis,
                gcWatermarkMillis,
                own.begunAt(),
                own.generation(),
                known,
                views,
                load(from));
    }

    private static Load load(ByteBuffer from) {
        String version = Fields.text(from);
        int operations = Fields.u32(from);
        int getMicros = Fields.u32(from);
        int putMicros = Fields.u32(from);
        try {
            return new Load(version, operations, getMicros, putMicros);
        } catch (IllegalArgumentException e) {
            throw new MalformedException("a load of " + e.getMessage());
        }
    }

    private static long bytes(ByteBuffer from) {
        long bytes = Fields.u64(from);
        if (bytes < 0) {
            throw new MalformedException("fewer than no bytes");
        }
        return bytes;
    }

    private static KnownLife decodeGenerations(int member, long life, ByteBuffer from) {
        long begunAt = Fields.u64(from);
        long generation = Fields.u64(from);
        if (begunAt < 0 || generation < begunAt) {
            throw new MalformedException("a life from " + begunAt + " to " + generation);
        }
        return new KnownLife(member, life, begunAt, generation);
    }
}
