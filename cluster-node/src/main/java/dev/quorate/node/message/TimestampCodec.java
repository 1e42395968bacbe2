package dev.quorate.node.message;

import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;

/** A timestamp outside of an entry. The layout is drawn in {@link PeerCodec}. */
final class TimestampCodec {

    /** Bytes without a step. */
    static final int MIN_BYTES = Timestamp.ENCODED_BYTES + Byte.BYTES;

    private static final byte PLAIN = 0;
    private static final byte STEP = 1;

    private TimestampCodec() {}

    static int sizeOf(Timestamp timestamp) {
        return timestamp.hasStep() ? MIN_BYTES + Long.BYTES : MIN_BYTES;
    }

    static void put(Timestamp timestamp, ByteBuffer to) {
        to.putLong(timestamp.hybrid()).putInt(timestamp.node());
        if (timestamp.hasStep()) {
            to.put(STEP).putLong(timestamp.step());
        } else {
            to.put(PLAIN);
        }
    }

    static Timestamp get(ByteBuffer from) {
        Fields.require(from, MIN_BYTES);
        Timestamp root = new Timestamp(from.getLong(), from.getInt());
        byte form = from.get();
        return switch (form) {
            case PLAIN -> root;
            case STEP -> {
                Fields.require(from, Long.BYTES);
                long step = from.getLong();
                if (!Timestamp.isStep(root.hybrid(), step)) {
                    throw new MalformedException("step %x of %s".formatted(step, root));
                }
                yield root.withStep(step);
            }
            default -> throw new MalformedException("form " + form + " of a timestamp");
        };
    }
}
