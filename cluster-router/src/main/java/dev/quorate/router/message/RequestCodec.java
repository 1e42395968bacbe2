package dev.quorate.router.message;

import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.EntryCodec;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import dev.quorate.storage.format.Varint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Codec of one request of a frame, in the layout of {@link PeerCodec}. */
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
    private static final byte PROPOSE = 19;
    private static final byte TELL = 20;
    private static final byte WATCH = 21;
    private static final byte CHANGED = 22;
    private static final byte WATCH_PREFIX = 23;
    private static final byte SCAN_KEYS = 24;
    private static final byte SCAN_KEYS_DESCENDING = 25;
    private static final int MAX_TOPOLOGY_BYTES = 0xFFFF;
    private static final byte[] NOTHING = {};

    private RequestCodec() {}

    static void encode(ReplicaRequest request, FieldWriter to) {
        switch (request) {
            case ReplicaRequest.Traced traced -> {
                encodeTrace(traced.trace(), to);
                encode(traced.request(), to);
            }
            case ReplicaRequest.Read read -> to.u8(READ).bytes(read.key());
            case ReplicaRequest.ReadDigest read -> to.u8(READ_DIGEST).bytes(read.key());
            case ReplicaRequest.Write write -> to.u8(typeOf(write)).entry(write.entry());
            case ReplicaRequest.ScanPage page ->
                    encodePage(typeOf(page), page.start(), page.end(), page.maxBytes(), to);
            case ReplicaRequest.ScanReadable page ->
                    encodePage(SCAN_READABLE, page.start(), page.end(), page.maxBytes(), to);
            case ReplicaRequest.Compare compare -> encodeCompare(compare, to);
            case ReplicaRequest.Inquire inquire -> to.u8(INQUIRE).bytes(inquire.key());
            case ReplicaRequest.Announce announce ->
                    MemberStateCodec.encode(
                            announce.state(), to.u8(ANNOUNCE).u32(announce.member()));
            case ReplicaRequest.StreamPage give -> {
                to.u8(STREAM_PAGE).u32(give.member()).u8(give.gainsOnly() ? 1 : 0);
                to.u8(give.sources().size());
                give.sources().forEach(to::u32);
                to.u32(give.maxBytes()).bytes(give.start());
            }
            case ReplicaRequest.StreamRecords give ->
                    to.u8(STREAM_RECORDS)
                            .u32(give.member())
                            .u8(give.gainsOnly() ? 1 : 0)
                            .u32(give.maxBytes())
                            .bytes(give.start());
            case ReplicaRequest.Propose asked -> {
                Fields.timestamp(asked.ballot(), to.u8(PROPOSE).u32(asked.epoch()));
                to.u8(asked.needed()).bytes(Fields.encodeText(asked.value(), MAX_TOPOLOGY_BYTES));
            }
            case ReplicaRequest.Tell(String topology) ->
                    to.u8(TELL).bytes(Fields.encodeText(topology, MAX_TOPOLOGY_BYTES));
            case ReplicaRequest.Watch watch ->
                    to.u8(watch.isPrefix() ? WATCH_PREFIX : WATCH)
                            .u32(watch.member())
                            .u64(watch.id())
                            .u32(watch.millis())
                            .bytes(watch.key());
            case ReplicaRequest.Changed(List<Long> ids) -> {
                to.u8(CHANGED);
                ids.forEach(to::u64);
            }
            case ReplicaRequest.ToAcceptor asked -> {
                to.u8(AcceptorCodec.typeOf(asked.question()));
                to.bytes(asked.key()).u8(asked.from());
                AcceptorCodec.encode(asked.key(), asked.question(), to);
            }
        }
    }

    private static void encodeTrace(TraceParent trace, FieldWriter to) {
        to.u8(TRACED).u64(trace.high()).u64(trace.low()).u64(trace.parent()).u8(trace.flags());
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
            encodeTrace(trace, FieldWriter.to(to));
        }
        to.put(typeOf(write));
        EntryCodec.encodeHead(write.entry(), to);
    }

    private static void encodePage(
            byte type, byte[] start, byte @Nullable [] end, int maxBytes, FieldWriter to) {
        to.u8(type).bytes(start).flag(end != null);
        if (end != null) {
            to.bytes(end);
        }
        to.u32(maxBytes);
    }

    private static void encodeCompare(ReplicaRequest.Compare compare, FieldWriter to) {
        byte @Nullable [] end = compare.end();
        to.u8(COMPARE).u32(compare.member()).u32(compare.salt());
        to.u64(compare.gcWatermarkMillis()).u64(compare.sum()).varint(compare.listUpTo());
        Fields.putKey(NOTHING, compare.start(), to);
        to.flag(end != null);
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
        byte type = Fields.u8(from);
        return switch (type) {
            case READ -> new ReplicaRequest.Read(key(from));
            case READ_DIGEST -> new ReplicaRequest.ReadDigest(key(from));
            case WRITE -> new ReplicaRequest.Write(EntryCodec.decode(from));
            case WRITE_GIVEN ->
                    new ReplicaRequest.Write(EntryCodec.decode(from), ReplicaRequest.Origin.GIVEN);
            case SCAN_PAGE, SCAN_KEYS -> decodePage(KeyOrder.ASCENDING, type == SCAN_KEYS, from);
            case SCAN_DESCENDING, SCAN_KEYS_DESCENDING ->
                    decodePage(KeyOrder.DESCENDING, type == SCAN_KEYS_DESCENDING, from);
            case COMPARE -> decodeCompare(from);
            case INQUIRE -> new ReplicaRequest.Inquire(key(from));
            case COPY -> ReplicaRequest.Write.copyOf(EntryCodec.decode(from));
            case ANNOUNCE ->
                    new ReplicaRequest.Announce(Fields.u32(from), MemberStateCodec.decode(from));
            case STREAM_PAGE -> decodeStreamPage(from);
            case STREAM_RECORDS -> decodeStreamRecords(from);
            case PROPOSE -> {
                int epoch = Fields.u32(from);
                Timestamp ballot = Fields.timestamp(from);
                int needed = Fields.u8(from) & 0xFF;
                yield new ReplicaRequest.Propose(epoch, ballot, Fields.text(from), needed);
            }
            case TELL -> new ReplicaRequest.Tell(Fields.text(from));
            case WATCH, WATCH_PREFIX -> decodeWatch(type == WATCH_PREFIX, from);
            case CHANGED -> decodeChanged(from);
            case SCAN_READABLE -> {
                ReplicaRequest.ScanPage page = decodePage(KeyOrder.ASCENDING, false, from);
                yield new ReplicaRequest.ScanReadable(page.start(), page.end(), page.maxBytes());
            }
            case AcceptorCodec.PREPARE,
                    AcceptorCodec.ACCEPT,
                    AcceptorCodec.CLOSE,
                    AcceptorCodec.DENY -> {
                byte[] key = key(from);
                int owners = Fields.u8(from) & 0xFF;
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
            case ASCENDING -> page.keysOnly() ? SCAN_KEYS : SCAN_PAGE;
            case DESCENDING -> page.keysOnly() ? SCAN_KEYS_DESCENDING : SCAN_DESCENDING;
        };
    }

    private static ReplicaRequest.ScanPage decodePage(
            KeyOrder order, boolean keysOnly, ByteBuffer from) {
        byte[] start = Fields.bytes(from);
        byte @Nullable [] end = Fields.flag("end", from) ? Fields.bytes(from) : null;
        int maxBytes = maxBytes(from);
        return new ReplicaRequest.ScanPage(start, end, maxBytes, order, keysOnly);
    }

    private static int maxBytes(ByteBuffer from) {
        int maxBytes = Fields.u32(from);
        if (maxBytes <= 0) {
            throw new MalformedException("a page of " + maxBytes + " bytes");
        }
        return maxBytes;
    }

    private static ReplicaRequest.StreamPage decodeStreamPage(ByteBuffer from) {
        int member = Fields.u32(from);
        boolean gainsOnly = Fields.flag("gains only", from);
        List<Integer> sources = new ArrayList<>();
        for (int left = Fields.count(MemberState.MAX_KNOWN, from); left > 0; left--) {
            sources.add(Fields.u32(from));
        }
        int maxBytes = maxBytes(from);
        return new ReplicaRequest.StreamPage(
                member, gainsOnly, sources, Fields.bytes(from), maxBytes);
    }

    private static ReplicaRequest.StreamRecords decodeStreamRecords(ByteBuffer from) {
        int member = Fields.u32(from);
        boolean gainsOnly = Fields.flag("gains only", from);
        int maxBytes = maxBytes(from);
        return new ReplicaRequest.StreamRecords(member, gainsOnly, Fields.bytes(from), maxBytes);
    }

    private static ReplicaRequest.Watch decodeWatch(boolean isPrefix, ByteBuffer from) {
        int member = Fields.u32(from);
        long id = Fields.u64(from);
        int millis = Fields.u32(from);
        if (millis < 0 || millis > ReplicaRequest.Watch.MAX_MILLIS) {
            throw new MalformedException("a wait of " + millis + " ms");
        }
        byte[] key = isPrefix ? Fields.bytes(from) : key(from);
        return new ReplicaRequest.Watch(member, id, millis, key, isPrefix);
    }

    private static ReplicaRequest.Changed decodeChanged(ByteBuffer from) {
        if (from.remaining() > ReplicaRequest.Changed.MAX_IDS * Long.BYTES) {
            throw new MalformedException("too many waits");
        }
        List<Long> ids = new ArrayList<>(from.remaining() / Long.BYTES);
        while (from.hasRemaining()) {
            ids.add(Fields.u64(from));
        }
        return new ReplicaRequest.Changed(ids);
    }

    private static ReplicaRequest.Compare decodeCompare(ByteBuffer from) {
        int member = Fields.u32(from);
        int salt = Fields.u32(from);
        long gcWatermarkMillis = Fields.millis(from);
        long sum = Fields.u64(from);
        int listUpTo = Varint.get(from);
        if (listUpTo < 1 || listUpTo > ComparedRange.MAX_LISTED) {
            throw new MalformedException("a list of up to " + listUpTo);
        }
        byte[] start = Fields.key(NOTHING, Entry.MAX_KEY_BYTES, from);
        byte @Nullable [] end =
                Fields.flag("end", from) ? Fields.key(start, Entry.MAX_KEY_BYTES, from) : null;
        if (end != null && Arrays.compareUnsigned(start, end) >= 0) {
            throw new MalformedException("a range that ends where it begins");
        }
        return new ReplicaRequest.Compare(
                member, salt, gcWatermarkMillis, sum, start, end, listUpTo);
    }
}
