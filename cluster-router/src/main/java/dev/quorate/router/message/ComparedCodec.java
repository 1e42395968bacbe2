package dev.quorate.router.message;

import dev.quorate.router.message.ComparedRange.Listed;
import dev.quorate.router.message.ComparedRange.Listing;
import dev.quorate.router.message.ComparedRange.Part;
import dev.quorate.router.message.ComparedRange.Parts;
import dev.quorate.router.message.ComparedRange.Same;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import dev.quorate.storage.format.Varint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Codec of the result of a comparison, in the layout of {@link PeerCodec}. Keys are
 * prefix-compressed, so their total decompressed length has a limit of its own.
 */
final class ComparedCodec {

    private static final byte SAME = 0;
    private static final byte PARTS = 1;
    private static final byte LISTING = 2;
    private static final byte[] NOTHING = {};

    /** The shortest entry: an empty key suffix, a timestamp and a checksum. */
    private static final int MIN_LISTED_BYTES = 2 + Fields.MIN_TIMESTAMP_BYTES + Integer.BYTES;

    private ComparedCodec() {}

    static void encode(ComparedRange range, FieldWriter to) {
        switch (range) {
            case Same same -> to.u8(SAME);
            case Parts parts -> encodeParts(parts.parts(), to);
            case Listing listing -> {
                to.u8(LISTING).varint(listing.entries().size());
                byte[] before = NOTHING;
                for (Listed listed : listing.entries()) {
                    Fields.putKey(before, listed.key(), to);
                    Fields.timestamp(listed.timestamp(), to);
                    to.u32(listed.content());
                    before = listed.key();
                }
            }
        }
    }

    private static void encodeParts(List<Part> parts, FieldWriter to) {
        to.u8(PARTS).u8(parts.size()).flag(parts.getLast().end() != null);
        byte[] before = NOTHING;
        for (Part part : parts) {
            byte @Nullable [] end = part.end();
            if (end != null) {
                Fields.putKey(before, end, to);
                before = end;
            }
            to.u64(part.sum());
        }
    }

    static ComparedRange decode(ByteBuffer from) {
        byte form = Fields.u8(from);
        return switch (form) {
            case SAME -> Same.SAME;
            case PARTS -> decodeParts(from);
            case LISTING -> decodeListing(from);
            default -> throw new MalformedException("form " + form + " of a comparison");
        };
    }

    private static Parts decodeParts(ByteBuffer from) {
        int count = Fields.u8(from);
        boolean hasEnd = Fields.flag("end", from);
        if (count < 1 || count > ComparedRange.MAX_PARTS) {
            throw new MalformedException(count + " parts");
        }
        List<Part> parts = new ArrayList<>(count);
        byte[] before = NOTHING;
        int left = ComparedRange.MAX_KEY_BYTES;
        for (int i = 0; i < count; i++) {
            byte[] end = null;
            if (i < count - 1 || hasEnd) {
                end = Fields.key(before, left, from);
                left -= end.length;
                before = end;
            }
            parts.add(new Part(end, Fields.u64(from)));
        }
        return new Parts(parts);
    }

    private static Listing decodeListing(ByteBuffer from) {
        int count = Varint.get(from);
        if (count > ComparedRange.MAX_LISTED || count > from.remaining() / MIN_LISTED_BYTES) {
            throw new MalformedException("a list of " + count);
        }
        List<Listed> entries = new ArrayList<>(count);
        byte[] before = NOTHING;
        int left = ComparedRange.MAX_KEY_BYTES;
        for (int i = 0; i < count; i++) {
            byte[] key = Fields.key(before, left, from);
            left -= key.length;
            before = key;
            Timestamp timestamp = Fields.timestamp(from);
            entries.add(new Listed(key, timestamp, Fields.u32(from)));
        }
        return new Listing(entries);
    }

    /** Whether the result lies in the requested range, in order. */
    static boolean fits(ComparedRange range, ReplicaRequest.Compare request) {
        return switch (range) {
            case Same same -> true;
            case Parts parts -> {
                byte[] before = request.start();
                for (Part part : parts.parts()) {
                    byte @Nullable [] end = part.end();
                    if (end == null) {
                        continue; // the last
                    }
                    if (Arrays.compareUnsigned(before, end) >= 0 || !isBefore(end, request.end())) {
                        yield false;
                    }
                    before = end;
                }
                yield true;
            }
            case Listing listing -> {
                byte @Nullable [] before = null;
                for (Listed listed : listing.entries()) {
                    byte[] key = listed.key();
                    boolean ascends =
                            before == null
                                    ? Arrays.compareUnsigned(request.start(), key) <= 0
                                    : Arrays.compareUnsigned(before, key) < 0;
                    if (!ascends || key.length == 0 || !isBefore(key, request.end())) {
                        yield false;
                    }
                    before = key;
                }
                yield listing.entries().size() <= request.listUpTo();
            }
        };
    }

    private static boolean isBefore(byte[] key, byte @Nullable [] end) {
        return end == null || Arrays.compareUnsigned(key, end) < 0;
    }
}
