package dev.quorate.node.message;

import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.format.EntryCodec;
import dev.quorate.storage.format.MalformedException;
import dev.quorate.storage.format.Varint;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One request of a frame. The layout is drawn in {@link PeerCodec}. */
final class RequestCodec {

    private static final byte READ = 1;
    private static final byte WRITE = 2;
    private static final byte SCAN_PAGE = 3;
    private static final byte COMPARE = 4;
    private static final byte INQUIRE = 5;
    private static final byte COPY = 6;
    private static final byte ANNOUNCE = 7;
    private static final byte STREAM_PAGE = 8;
    private static final byte SCAN_READABLE = 9;
    private static final byte READ_DIGEST = 10;
    private static final byte WRITE_GIVEN = 11;
    private static final byte STREAM_RECORDS = 16;
    private static final byte TRACED = 17;
    private static final byte SCAN_DESCENDING = 18;
    private static final byte[] NOTHING = {};

    private RequestCodec() {}

    static int encodedSize(ReplicaRequest request) {
        return Byte.BYTES
                + switch (request) {
                    case ReplicaRequest.Traced traced ->
                            TraceParent.BYTES + encodedSize(traced.request());
                    case ReplicaRequest.Read read -> Fields.sizeOf(read.key());
                    case ReplicaRequest.ReadDigest read -> Fields.sizeOf(read.key());
                    case ReplicaRequest.Write write -> EntryCodec.encodedSize(write.entry());
                    case ReplicaRequest.ScanPage page -> sizeOfPage(page.start(), page.end());
                    case ReplicaRequest.ScanReadable page -> sizeOfPage(page.start(), page.end());
                    case ReplicaRequest.Compare compare -> encodedSize(compare);
                    case ReplicaRequest.Inquire inquire -> Fields.sizeOf(inquire.key());
                    case ReplicaRequest.Announce announce ->
                            Integer.BYTES + MemberStateCodec.encodedSize(announce.state());
                    case ReplicaRequest.StreamPage give ->
                            2 * Integer.BYTES + Long.BYTES + Fields.sizeOf(give.start());
                    case ReplicaRequest.StreamRecords give ->
                            2 * Integer.BYTES + Fields.sizeOf(give.start());
                    case ReplicaRequest.ToAcceptor asked ->
                            Fields.sizeOf(asked.key())
                                    + Byte.BYTES
                                    + AcceptorCodec.encodedSize(asked.key(), asked.question());
                };
    }

    private static int sizeOfPage(byte[] start, byte @Nullable [] end) {
        return Fields.sizeOf(start)
                + Byte.BYTES
                + (end == null ? 0 : Fields.sizeOf(end))
                + Integer.BYTES;
    }

    private static int encodedSize(ReplicaRequest.Compare compare) {
        byte @Nullable [] end = compare.end();
        return 2 * Integer.BYTES
                + 2 * Long.BYTES
                + Varint.sizeOf(compare.listUpTo())
                + Fields.sizeOfKey(NOTHING, compare.start())
                + Byte.BYTES
                + (end == null ? 0 : Fields.sizeOfKey(compare.start(), end));
    }

    static void encode(ReplicaRequest request, ByteBuffer to) {
        switch (request) {
            case ReplicaRequest.Traced traced -> {
                encodeTrace(traced.trace(), to);
                encode(traced.request(), to);
            }
            case ReplicaRequest.Read read -> {
                to.put(READ);
                Fields.putBytes(read.key(), to);
            }
            case ReplicaRequest.ReadDigest read -> {
                to.put(READ_DIGEST);
                Fields.putBytes(read.key(), to);
            }
            case ReplicaRequest.Write write -> {
                to.put(typeOf(write));
                EntryCodec.encode(write.entry(), to);
            }
            case ReplicaRequest.ScanPage page ->
                    encodePage(typeOf(page), page.start(), page.end(), page.maxBytes(), to);
            case ReplicaRequest.ScanReadable page ->
                    encodePage(SCAN_READABLE, page.start(), page.end(), page.maxBytes(), to);
            case ReplicaRequest.Compare compare -> encodeCompare(compare, to);
            case ReplicaRequest.Inquire inquire -> {
                to.put(INQUIRE);
                Fields.putBytes(inquire.key(), to);
            }
            case ReplicaRequest.Announce announce -> {
                to.put(ANNOUNCE).putInt(announce.member());
                MemberStateCodec.encode(announce.state(), to);
            }
            case ReplicaRequest.StreamPage give -> {
                to.put(STREAM_PAGE)
                        .putInt(give.member())
                        .putLong(give.sources())
                        .putInt(give.maxBytes());
                Fields.putBytes(give.start(), to);
            }
            case ReplicaRequest.StreamRecords give -> {
                to.put(STREAM_RECORDS).putInt(give.member()).putInt(give.maxBytes());
                Fields.putBytes(give.start(), to);
            }
            case ReplicaRequest.ToAcceptor asked -> {
                to.put(AcceptorCodec.typeOf(asked.question()));
                Fields.putBytes(asked.key(), to);
                to.put((byte) asked.from());
                AcceptorCodec.encode(asked.key(), asked.question(), to);
            }
        }
    }

    private static void encodeTrace(TraceParent trace, ByteBuffer to) {
        to.put(TRACED).putLong(trace.high()).putLong(trace.low());
        to.putLong(trace.parent()).put((byte) trace.flags());
    }

    private static byte typeOf(ReplicaRequest.Write write) {
        return switch (write.origin()) {
            case STAMPED -> WRITE;
            case GIVEN -> WRITE_GIVEN;
            case COPY -> COPY;
        };
    }

    /** Like {@link #encode}, without the value's bytes, which must follow. */
    static void encodeHead(ReplicaRequest.Write write, @Nullable TraceParent trace, ByteBuffer to) {
        if (trace != null) {
            encodeTrace(trace, to);
        }
        to.put(typeOf(write));
        EntryCodec.encodeHead(write.entry(), to);
    }

    private static void encodePage(
            byte type, byte[] start, byte @Nullable [] end, int maxBytes, ByteBuffer to) {
        to.put(type);
        Fields.putBytes(start, to);
        to.put((byte) (end == null ? 0 : 1));
        if (end != null) {
            Fields.putBytes(end, to);
        }
        to.putInt(maxBytes);
    }

    private static void encodeCompare(ReplicaRequest.Compare compare, ByteBuffer to) {
        byte @Nullable [] end = compare.end();
        to.put(COMPARE).putInt(compare.member()).putInt(compare.salt());
        to.putLong(compare.gcWatermarkMillis()).putLong(compare.sum());
        Varint.put(compare.listUpTo(), to);
        Fields.putKey(NOTHING, compare.start(), to);
        to.put((byte) (end == null ? 0 : 1));
        if (end != null) {
            Fields.putKey(compare.start(), end, to);
        }
    }

    /** Reads a request that ends where {@code from} does. */
    static ReplicaRequest decode(ByteBuffer from) {
        Fields.require(from, Byte.BYTES);
        if (from.get(from.position()) == TRACED) {
            from.get();
            TraceParent trace = decodeTrace(from);
            return new ReplicaRequest.Traced(trace, decodePlain(from));
        }
        return decodePlain(from);
    }

    private static TraceParent decodeTrace(ByteBuffer from) {
        Fields.require(from, TraceParent.BYTES);
        try {
            return new TraceParent(
                    from.getLong(), from.getLong(), from.getLong(), from.get() & 0xFF);
        } catch (IllegalArgumentException e) {
            throw new MalformedException(String.valueOf(e.getMessage()));
        }
    }

    private static ReplicaRequest decodePlain(ByteBuffer from) {
        Fields.require(from, Byte.BYTES);
        byte type = from.get();
        return switch (type) {
            case READ -> new ReplicaRequest.Read(key(from));
            case READ_DIGEST -> new ReplicaRequest.ReadDigest(key(from));
            case WRITE -> new ReplicaRequest.Write(EntryCodec.decode(from));
            case WRITE_GIVEN ->
                    new ReplicaRequest.Write(EntryCodec.decode(from), ReplicaRequest.Origin.GIVEN);
            case SCAN_PAGE -> decodePage(KeyOrder.ASCENDING, from);
            case SCAN_DESCENDING -> decodePage(KeyOrder.DESCENDING, from);
            case COMPARE -> decodeCompare(from);
            case INQUIRE -> new ReplicaRequest.Inquire(key(from));
            case COPY -> ReplicaRequest.Write.copyOf(EntryCodec.decode(from));
            case ANNOUNCE -> {
                Fields.require(from, Integer.BYTES);
                yield new ReplicaRequest.Announce(from.getInt(), MemberStateCodec.decode(from));
            }
            case STREAM_PAGE -> decodeStreamPage(from);
            case STREAM_RECORDS -> decodeStreamRecords(from);
            case SCAN_READABLE -> {
                ReplicaRequest.ScanPage page = decodePage(KeyOrder.ASCENDING, from);
                yield new ReplicaRequest.ScanReadable(page.start(), page.end(), page.maxBytes());
            }
            case AcceptorCodec.PREPARE,
                    AcceptorCodec.ACCEPT,
                    AcceptorCodec.CLOSE,
                    AcceptorCodec.DENY -> {
                byte[] key = key(from);
                Fields.require(from, Byte.BYTES);
                int owners = from.get() & 0xFF;
                yield new ReplicaRequest.ToAcceptor(
                        key, owners, AcceptorCodec.decodeQuestion(type, key, from));
            }
            default -> throw new MalformedException("request type " + type);
        };
    }

    private static byte[] key(ByteBuffer from) {
        byte[] key = Fields.bytes(from);
        if (key.length == 0) {
            throw new MalformedException("empty key");
        }
        return key;
    }

    private static byte typeOf(ReplicaRequest.ScanPage page) {
        return switch (page.order()) {
            case ASCENDING -> SCAN_PAGE;
            case DESCENDING -> SCAN_DESCENDING;
        };
    }

    private static ReplicaRequest.ScanPage decodePage(KeyOrder order, ByteBuffer from) {
        byte[] start = Fields.bytes(from);
        Fields.require(from, Byte.BYTES);
        byte hasEnd = from.get();
        if (hasEnd != 0 && hasEnd != 1) {
            throw new MalformedException("end flag " + hasEnd);
        }
        byte @Nullable [] end = hasEnd == 1 ? Fields.bytes(from) : null;
        Fields.require(from, Integer.BYTES);
        int maxBytes = from.getInt();
        if (maxBytes <= 0) {
            throw new MalformedException("page of " + maxBytes + " bytes");
        }
        return new ReplicaRequest.ScanPage(start, end, maxBytes, order);
    }

    private static ReplicaRequest.StreamPage decodeStreamPage(ByteBuffer from) {
        Fields.require(from, 2 * Integer.BYTES + Long.BYTES);
        int member = from.getInt();
        long sources = from.getLong();
        int maxBytes = from.getInt();
        if (maxBytes <= 0) {
            throw new MalformedException("a gift of " + maxBytes + " bytes");
        }
        return new ReplicaRequest.StreamPage(member, sources, Fields.bytes(from), maxBytes);
    }

    private static ReplicaRequest.StreamRecords decodeStreamRecords(ByteBuffer from) {
        Fields.require(from, 2 * Integer.BYTES);
        int member = from.getInt();
        int maxBytes = from.getInt();
        if (maxBytes <= 0) {
            throw new MalformedException("a page of " + maxBytes + " bytes");
        }
        return new ReplicaRequest.StreamRecords(member, Fields.bytes(from), maxBytes);
    }

    private static ReplicaRequest.Compare decodeCompare(ByteBuffer from) {
        Fields.require(from, 2 * Integer.BYTES + 2 * Long.BYTES);
        int member = from.getInt();
        int salt = from.getInt();
        long gcWatermarkMillis = MemberStateCodec.millis(from);
        long sum = from.getLong();
        int listUpTo = Varint.get(from);
        if (listUpTo < 1 || listUpTo > ComparedRange.MAX_LISTED) {
            throw new MalformedException("a list of up to " + listUpTo);
        }
        byte[] start = Fields.key(NOTHING, Entry.MAX_KEY_BYTES, from);
        Fields.require(from, Byte.BYTES);
        byte hasEnd = from.get();
        if (hasEnd != 0 && hasEnd != 1) {
            throw new MalformedException("end flag " + hasEnd);
        }
        byte @Nullable [] end = hasEnd == 1 ? Fields.key(start, Entry.MAX_KEY_BYTES, from) : null;
        if (end != null && Arrays.compareUnsigned(start, end) >= 0) {
            throw new MalformedException("a range that ends where it begins");
        }
        return new ReplicaRequest.Compare(
                member, salt, gcWatermarkMillis, sum, start, end, listUpTo);
    }
}
