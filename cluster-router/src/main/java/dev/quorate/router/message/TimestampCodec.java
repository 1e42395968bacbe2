package dev.quorate.router.message;

import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;

/** A timestamp outside of an entry. The layout is drawn in {@link PeerCodec}. */
final class TimestampCodec {

    /** Bytes without a step. */
    static final int MIN_BYTES = Timestamp.ENCODED_BYTES + Byte.BYTES;

    private TimestampCodec() {}

    static void put(Timestamp timestamp, FieldWriter to) {
        to.u64(timestamp.hybrid()).u32(timestamp.node()).flag(timestamp.hasStep());
        if (timestamp.hasStep()) {
            to.u64(timestamp.step());
        }
    }

    static Timestamp get(ByteBuffer from) {
        Fields.require(from, MIN_BYTES);
        Timestamp root = new Timestamp(from.getLong(), from.getInt());
        if (!Fields.flag("step", from)) {
            return root;
        }
        long step = Fields.u64(from);
        if (!Timestamp.isStep(root.hybrid(), step)) {
            throw new MalformedException("step %x of %s".formatted(step, root));
        }
        return root.withStep(step);
    }
}
