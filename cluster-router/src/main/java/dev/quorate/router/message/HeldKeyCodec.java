package dev.quorate.router.message;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import dev.quorate.storage.format.Varint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Codec of {@link HeldKey}, in the layout of {@link PeerCodec}. */
final class HeldKeyCodec {

    private static final byte ACTIVE = 0;
    private static final byte SEALED = 1;
    private static final byte TABLE = 2;

    private static final int TOMBSTONE = 1;
    private static final int EXPIRES = 2;

    private static final int MAX_WHY_BYTES = 160;

    private HeldKeyCodec() {}

    static void encode(HeldKey held, FieldWriter to) {
        MemberStateCodec.encode(held.state(), to);
        to.u64(held.gcWatermarkMillis()).flag(held.isWhole());
        to.u8(held.entries().size());
        for (Held entry : held.entries()) {
            boolean expires = entry.expiresAtMillis() != Entry.NEVER;
            putPlace(entry.place(), to);
            Fields.timestamp(entry.timestamp(), to);
            to.u8((entry.isTombstone() ? TOMBSTONE : 0) | (expires ? EXPIRES : 0));
            to.u8(entry.from()).varint(entry.valueBytes());
            if (expires) {
                to.u64(entry.expiresAtMillis());
            }
        }
        to.u8(held.unread().size());
        for (Unread unread : held.unread()) {
            putPlace(unread.place(), to);
            Fields.timestamp(unread.newest(), to);
            to.bytes(Fields.encodeText(unread.why(), MAX_WHY_BYTES));
        }
        to.u8(held.hints().size());
        for (HeldKey.Hint hint : held.hints()) {
            to.u32(hint.member());
            Fields.timestamp(hint.timestamp(), to);
        }
    }

    private static void putPlace(Place place, FieldWriter to) {
        switch (place) {
            case Place.Active active -> to.u8(ACTIVE);
            case Place.Sealed sealed -> to.u8(SEALED);
            case Place.Table(long number, int level) -> to.u8(TABLE).u64(number).u8(level);
        }
    }

    static HeldKey decode(ByteBuffer from) {
        MemberState state = MemberStateCodec.decode(from);
        long gcWatermarkMillis = Fields.millis(from);
        boolean isWhole = Fields.flag("whole", from);
        List<Held> entries = new ArrayList<>();
        for (int left = Fields.count(HeldKey.MOST, from); left > 0; left--) {
            entries.add(decodeHeld(from));
        }
        List<Unread> unread = new ArrayList<>();
        for (int left = Fields.count(HeldKey.MOST, from); left > 0; left--) {
            unread.add(new Unread(place(from), Fields.timestamp(from), Fields.text(from)));
        }
        List<HeldKey.Hint> hints = new ArrayList<>();
        for (int left = Fields.count(HeldKey.MOST, from); left > 0; left--) {
            hints.add(new HeldKey.Hint(Fields.u32(from), Fields.timestamp(from)));
        }
        return new HeldKey(state, gcWatermarkMillis, isWhole, entries, unread, hints);
    }

    private static Held decodeHeld(ByteBuffer from) {
        Place place = place(from);
        Timestamp timestamp = Fields.timestamp(from);
        int flags = Fields.u8(from);
        int addressed = Fields.u8(from) & 0xFF;
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
            expiresAtMillis = Fields.u64(from);
            if (expiresAtMillis <= 0) {
                throw new MalformedException("expires at " + expiresAtMillis);
            }
        }
        return new Held(place, timestamp, isTombstone, addressed, valueBytes, expiresAtMillis);
    }

    private static Place place(ByteBuffer from) {
        byte kind = Fields.u8(from);
        return switch (kind) {
            case ACTIVE -> Place.Active.ACTIVE;
            case SEALED -> Place.Sealed.SEALED;
            case TABLE -> {
                long number = Fields.u64(from);
                int level = Fields.u8(from);
                if (number < 0 || level < 0) {
                    throw new MalformedException("table " + number + " of level " + level);
                }
                yield new Place.Table(number, level);
            }
            default -> throw new MalformedException("place " + kind);
        };
    }
}
