package dev.quorate.node.message;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.MalformedException;
import dev.quorate.storage.format.Varint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Everything that a member has of one key. The layout is drawn in {@link PeerCodec}. */
final class HeldKeyCodec {

    private static final byte ACTIVE = 0;
    private static final byte SEALED = 1;
    private static final byte TABLE = 2;

    private static final int TOMBSTONE = 1;
    private static final int EXPIRES = 2;

    private static final int MAX_WHY_BYTES = 160;

    private HeldKeyCodec() {}

    static int encodedSize(HeldKey held) {
        int size = MemberStateCodec.encodedSize(held.state()) + Long.BYTES + 4 * Byte.BYTES;
        for (Held entry : held.entries()) {
            size +=
                    sizeOf(entry.place())
                            + TimestampCodec.sizeOf(entry.timestamp())
                            + 2 * Byte.BYTES
                            + Varint.sizeOf(entry.valueBytes())
                            + (entry.expiresAtMillis() == Entry.NEVER ? 0 : Long.BYTES);
        }
        for (Unread unread : held.unread()) {
            size +=
                    sizeOf(unread.place())
                            + TimestampCodec.sizeOf(unread.newest())
                            + Short.BYTES
                            + Math.min(unread.why().length(), MAX_WHY_BYTES);
        }
        for (HeldKey.Hint hint : held.hints()) {
            size += Integer.BYTES + TimestampCodec.sizeOf(hint.timestamp());
        }
        return size;
    }

    private static int sizeOf(Place place) {
        return Byte.BYTES
                + switch (place) {
                    case Place.Active active -> 0;
                    case Place.Sealed sealed -> 0;
                    case Place.Table table -> Long.BYTES + Byte.BYTES;
                };
    }

    static void encode(HeldKey held, ByteBuffer to) {
        MemberStateCodec.encode(held.state(), to);
        to.putLong(held.gcWatermarkMillis());
        to.put((byte) (held.isWhole() ? 1 : 0));
        to.put((byte) held.entries().size());
        for (Held entry : held.entries()) {
            boolean expires = entry.expiresAtMillis() != Entry.NEVER;
            putPlace(entry.place(), to);
            TimestampCodec.put(entry.timestamp(), to);
            to.put((byte) ((entry.isTombstone() ? TOMBSTONE : 0) | (expires ? EXPIRES : 0)));
            to.put((byte) entry.from());
            Varint.put(entry.valueBytes(), to);
            if (expires) {
                to.putLong(entry.expiresAtMillis());
            }
        }
        to.put((byte) held.unread().size());
        for (Unread unread : held.unread()) {
            putPlace(unread.place(), to);
            TimestampCodec.put(unread.newest(), to);
            Fields.putBytes(Fields.encodeText(unread.why(), MAX_WHY_BYTES), to);
        }
        to.put((byte) held.hints().size());
        for (HeldKey.Hint hint : held.hints()) {
            to.putInt(hint.member());
            TimestampCodec.put(hint.timestamp(), to);
        }
    }

    private static void putPlace(Place place, ByteBuffer to) {
        switch (place) {
            case Place.Active active -> to.put(ACTIVE);
            case Place.Sealed sealed -> to.put(SEALED);
            case Place.Table(long number, int level) ->
                    to.put(TABLE).putLong(number).put((byte) level);
        }
    }

    static HeldKey decode(ByteBuffer from) {
        MemberState state = MemberStateCodec.decode(from);
        Fields.require(from, Long.BYTES + Byte.BYTES);
        long gcWatermarkMillis = MemberStateCodec.millis(from);
        byte whole = from.get();
        if (whole != 0 && whole != 1) {
            throw new MalformedException("whole flag " + whole);
        }
        List<Held> entries = new ArrayList<>();
        for (int left = count(from); left > 0; left--) {
            entries.add(decodeHeld(from));
        }
        List<Unread> unread = new ArrayList<>();
        for (int left = count(from); left > 0; left--) {
            unread.add(new Unread(place(from), TimestampCodec.get(from), Fields.text(from)));
        }
        List<HeldKey.Hint> hints = new ArrayList<>();
        for (int left = count(from); left > 0; left--) {
            Fields.require(from, Integer.BYTES);
            hints.add(new HeldKey.Hint(from.getInt(), TimestampCodec.get(from)));
        }
        return new HeldKey(state, gcWatermarkMillis, whole == 1, entries, unread, hints);
    }

    private static Held decodeHeld(ByteBuffer from) {
        Place place = place(from);
        Timestamp timestamp = TimestampCodec.get(from);
        Fields.require(from, 2 * Byte.BYTES);
        int flags = from.get();
        int addressed = from.get() & 0xFF;
        int valueBytes = Varint.get(from);
        long expiresAtMillis = Entry.NEVER;
        boolean isTombstone = (flags & TOMBSTONE) != 0;
        boolean expires = (flags & EXPIRES) != 0;
        if (flags < 0
                || flags > (TOMBSTONE | EXPIRES)
                || (isTombstone && (expires || valueBytes > 0))) {
            throw new MalformedException("entry flags " + flags);
        }
        if (valueBytes > Entry.MAX_VALUE_BYTES) {
            throw new MalformedException("value of " + valueBytes + " bytes");
        }
        if (expires) {
            Fields.require(from, Long.BYTES);
            expiresAtMillis = from.getLong();
            if (expiresAtMillis <= 0) {
                throw new MalformedException("expires at " + expiresAtMillis);
            }
        }
        return new Held(place, timestamp, isTombstone, addressed, valueBytes, expiresAtMillis);
    }

    private static int count(ByteBuffer from) {
        Fields.require(from, Byte.BYTES);
        int count = from.get();
        if (count < 0 || count > HeldKey.MOST) {
            throw new MalformedException("a list of " + count);
        }
        return count;
    }

    private static Place place(ByteBuffer from) {
        Fields.require(from, Byte.BYTES);
        byte kind = from.get();
        return switch (kind) {
            case ACTIVE -> Place.Active.ACTIVE;
            case SEALED -> Place.Sealed.SEALED;
            case TABLE -> {
                Fields.require(from, Long.BYTES + Byte.BYTES);
                long number = from.getLong();
                int level = from.get();
                if (number < 0 || level < 0) {
                    throw new MalformedException("table " + number + " of level " + level);
                }
                yield new Place.Table(number, level);
            }
            default -> throw new MalformedException("place " + kind);
        };
    }
}
