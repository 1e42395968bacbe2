package dev.quorate.node.message;

import dev.quorate.node.conditional.Answer;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.EntryCodec;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One answer of a frame. The layout is drawn in {@link PeerCodec}. */
final class AnswerCodec {

    private static final byte DEFERRED = 0;
    private static final byte FOUND = 1;
    private static final byte ABSENT = 2;
    private static final byte STORED = 3;
    private static final byte PAGE = 4;
    private static final byte FAILED = 5;
    private static final byte COMPARED = 6;
    private static final byte INQUIRED = 7;
    private static final byte ANNOUNCED = 8;
    private static final byte STREAMED_PAGE = 9;
    private static final byte DIGESTED = 10;

    private static final int MAX_DETAIL_BYTES = 256;
    private static final int PAGE_HEAD_BYTES = Byte.BYTES + Integer.BYTES;

    /** A digest without its timestamp. */
    private static final int DIGEST_BYTES = Byte.BYTES + Long.BYTES + 2 * Integer.BYTES;

    /** The shortest entry: a tombstone of a key of one byte. */
    private static final int MIN_ENTRY_BYTES = 17;

    private static final Failure[] FAILURES = failuresByCode();

    private AnswerCodec() {}

    private static Failure[] failuresByCode() {
        Failure[] byCode = new Failure[Failure.values().length + 1];
        for (Failure failure : Failure.values()) {
            byCode[failure.code()] = failure;
        }
        return byCode;
    }

    /** {@code null} stands for an answer that did not fit into the frame. */
    static int encodedSize(@Nullable ReplicaAnswer answer) {
        return Byte.BYTES
                + switch (answer) {
                    case null -> 0;
                    case ReplicaAnswer.Found found -> EntryCodec.encodedSize(found.entry());
                    case ReplicaAnswer.Digested(Digest digest) ->
                            TimestampCodec.sizeOf(digest.version()) + DIGEST_BYTES;
                    case ReplicaAnswer.Absent absent -> 0;
                    case ReplicaAnswer.Stored(Timestamp newest) -> TimestampCodec.sizeOf(newest);
                    case ReplicaAnswer.Page page -> encodedSize(page);
                    case ReplicaAnswer.Compared compared ->
                            ComparedCodec.encodedSize(compared.range());
                    case ReplicaAnswer.Inquired inquired ->
                            HeldKeyCodec.encodedSize(inquired.held());
                    case ReplicaAnswer.Announced announced ->
                            MemberStateCodec.encodedSize(announced.state());
                    case ReplicaAnswer.StreamedPage given -> encodedSize(given);
                    case ReplicaAnswer.FromAcceptor(byte[] key, Answer acceptors) ->
                            AcceptorCodec.encodedSize(key, acceptors);
                    case ReplicaAnswer.Failed failed ->
                            Byte.BYTES
                                    + Short.BYTES
                                    + Math.min(failed.detail().length(), MAX_DETAIL_BYTES);
                };
    }

    private static int encodedSize(ReplicaAnswer.Page page) {
        return PAGE_HEAD_BYTES + encodedSize(page.entries());
    }

    private static int encodedSize(ReplicaAnswer.StreamedPage given) {
        byte @Nullable [] next = given.next();
        return PAGE_HEAD_BYTES
                + (next == null ? 0 : Fields.sizeOf(next))
                + encodedSize(given.entries());
    }

    private static int encodedSize(List<Entry> entries) {
        int size = 0;
        for (Entry entry : entries) {
            size += EntryCodec.encodedSize(entry);
        }
        return size;
    }

    static void encode(@Nullable ReplicaAnswer answer, ByteBuffer to) {
        switch (answer) {
            case null -> to.put(DEFERRED);
            case ReplicaAnswer.Found found -> {
                to.put(FOUND);
                EntryCodec.encode(found.entry(), to);
            }
            case ReplicaAnswer.Digested(Digest digest) -> {
                to.put(DIGESTED);
                TimestampCodec.put(digest.version(), to);
                to.put((byte) digest.from()).putLong(digest.expiresAtMillis());
                to.putInt(digest.valueBytes()).putInt(digest.checksum());
            }
            case ReplicaAnswer.Absent absent -> to.put(ABSENT);
            case ReplicaAnswer.Stored(Timestamp newest) -> {
                to.put(STORED);
                TimestampCodec.put(newest, to);
            }
            case ReplicaAnswer.Page page -> {
                to.put(PAGE).put((byte) ((page.last() ? 1 : 0) | (page.isCut() ? 2 : 0)));
                to.putInt(page.entries().size());
                for (Entry entry : page.entries()) {
                    EntryCodec.encode(entry, to);
                }
            }
            case ReplicaAnswer.Compared compared -> {
                to.put(COMPARED);
                ComparedCodec.encode(compared.range(), to);
            }
            case ReplicaAnswer.Inquired inquired -> {
                to.put(INQUIRED);
                HeldKeyCodec.encode(inquired.held(), to);
            }
            case ReplicaAnswer.Announced announced -> {
                to.put(ANNOUNCED);
                MemberStateCodec.encode(announced.state(), to);
            }
            case ReplicaAnswer.StreamedPage given -> {
                byte @Nullable [] next = given.next();
                to.put(STREAMED_PAGE).put((byte) (next == null ? 0 : 1));
                if (next != null) {
                    Fields.putBytes(next, to);
                }
                to.putInt(given.entries().size());
                for (Entry entry : given.entries()) {
                    EntryCodec.encode(entry, to);
                }
            }
            case ReplicaAnswer.FromAcceptor(byte[] key, Answer acceptors) -> {
                to.put(AcceptorCodec.typeOf(acceptors));
                AcceptorCodec.encode(key, acceptors, to);
            }
            case ReplicaAnswer.Failed failed -> {
                to.put(FAILED).put((byte) failed.reason().code());
                Fields.putBytes(Fields.encodeText(failed.detail(), MAX_DETAIL_BYTES), to);
            }
        }
    }

    /** Encodes all but the value, which follows. */
    static void encodeHead(ReplicaAnswer.Found found, ByteBuffer to) {
        to.put(FOUND);
        EntryCodec.encodeHead(found.entry(), to);
    }

    /**
     * Reads an answer that ends where {@code from} does.
     *
     * @param request the request that it must answer
     * @return null if it did not fit into the frame
     */
    static @Nullable ReplicaAnswer decode(ByteBuffer from, ReplicaRequest request) {
        Fields.require(from, Byte.BYTES);
        byte type = from.get();
        if (type == DEFERRED) {
            return null;
        }
        ReplicaAnswer answer =
                switch (type) {
                    case FOUND -> new ReplicaAnswer.Found(EntryCodec.decode(from));
                    case ABSENT -> ReplicaAnswer.Absent.ABSENT;
                    case DIGESTED -> decodeDigest(from);
                    case STORED -> new ReplicaAnswer.Stored(TimestampCodec.get(from));
                    case PAGE -> decodePage(from);
                    case FAILED -> decodeFailed(from);
                    case COMPARED -> new ReplicaAnswer.Compared(ComparedCodec.decode(from));
                    case INQUIRED -> new ReplicaAnswer.Inquired(HeldKeyCodec.decode(from));
                    case ANNOUNCED -> new ReplicaAnswer.Announced(MemberStateCodec.decode(from));
                    case STREAMED_PAGE -> decodeStreamedPage(from);
                    case AcceptorCodec.PROMISED,
                            AcceptorCodec.DONE,
                            AcceptorCodec.OUTBID,
                            AcceptorCodec.MOVED -> {
                        if (!(request instanceof ReplicaRequest.ToAcceptor asked)) {
                            throw new MalformedException("the answer does not fit the request");
                        }
                        yield new ReplicaAnswer.FromAcceptor(
                                asked.key(), AcceptorCodec.decodeAnswer(type, asked.key(), from));
                    }
                    default -> throw new MalformedException("answer type " + type);
                };
        requireFits(answer, request);
        return answer;
    }

    private static ReplicaAnswer.Digested decodeDigest(ByteBuffer from) {
        Timestamp version = TimestampCodec.get(from);
        Fields.require(from, DIGEST_BYTES);
        int copies = from.get() & 0xFF;
        long expiresAtMillis = from.getLong();
        int valueBytes = from.getInt();
        if (valueBytes < 0) {
            throw new MalformedException("a value of " + valueBytes + " bytes");
        }
        return new ReplicaAnswer.Digested(
                new Digest(version, copies, expiresAtMillis, valueBytes, from.getInt()));
    }

    private static ReplicaAnswer.Page decodePage(ByteBuffer from) {
        Fields.require(from, PAGE_HEAD_BYTES);
        byte flags = from.get();
        int count = from.getInt();
        if (flags < 0 || flags > 2) {
            throw new MalformedException("page flags " + flags);
        }
        if (count == 0 && flags != 1) {
            throw new MalformedException("an empty page that is not the last");
        }
        return new ReplicaAnswer.Page(entries(count, from), flags == 1, flags == 2);
    }

    private static ReplicaAnswer.StreamedPage decodeStreamedPage(ByteBuffer from) {
        Fields.require(from, Byte.BYTES);
        byte more = from.get();
        if (more != 0 && more != 1) {
            throw new MalformedException("more flag " + more);
        }
        byte @Nullable [] next = more == 1 ? Fields.bytes(from) : null;
        Fields.require(from, Integer.BYTES);
        return new ReplicaAnswer.StreamedPage(entries(from.getInt(), from), next);
    }

    private static List<Entry> entries(int count, ByteBuffer from) {
        if (count < 0 || count > from.remaining() / MIN_ENTRY_BYTES) {
            throw new MalformedException("page of " + count + " entries");
        }
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(EntryCodec.decode(from));
        }
        return entries;
    }

    private static ReplicaAnswer.Failed decodeFailed(ByteBuffer from) {
        Fields.require(from, Byte.BYTES);
        byte code = from.get();
        if (code < 1 || code >= FAILURES.length) {
            throw new MalformedException("failure code " + code);
        }
        return new ReplicaAnswer.Failed(FAILURES[code], Fields.text(from));
    }

    /** Rejects an answer of another kind, or to another key. */
    private static void requireFits(ReplicaAnswer answer, ReplicaRequest request) {
        boolean fits =
                switch (answer) {
                    case ReplicaAnswer.Found found ->
                            Arrays.equals(keyOf(request), found.entry().key());
                    case ReplicaAnswer.Absent absent -> keyOf(request) != null;
                    case ReplicaAnswer.Digested digested ->
                            request instanceof ReplicaRequest.ReadDigest;
                    case ReplicaAnswer.Stored stored ->
                            request instanceof ReplicaRequest.Write write
                                    && stored.newest().compareTo(write.entry().timestamp()) >= 0;
                    case ReplicaAnswer.Page page -> fits(page, request);
                    case ReplicaAnswer.StreamedPage given -> fits(given, request);
                    case ReplicaAnswer.Compared compared ->
                            request instanceof ReplicaRequest.Compare compare
                                    && ComparedCodec.fits(compared.range(), compare);
                    case ReplicaAnswer.Inquired inquired ->
                            request instanceof ReplicaRequest.Inquire;
                    case ReplicaAnswer.Announced announced ->
                            request instanceof ReplicaRequest.Announce;
                    case ReplicaAnswer.FromAcceptor(byte[] key, Answer acceptors) ->
                            request instanceof ReplicaRequest.ToAcceptor asked
                                    && AcceptorCodec.fits(acceptors, asked.question());
                    case ReplicaAnswer.Failed failed -> true;
                };
        if (!fits) {
            throw new MalformedException("the answer does not fit the request");
        }
    }

    /** The key of a read; null for other requests. */
    private static byte @Nullable [] keyOf(ReplicaRequest request) {
        return switch (request) {
            case ReplicaRequest.Read read -> read.key();
            case ReplicaRequest.ReadDigest read -> read.key();
            case ReplicaRequest other -> null;
        };
    }

    private static boolean fits(ReplicaAnswer.Page page, ReplicaRequest request) {
        return switch (request) {
            case ReplicaRequest.ScanPage range ->
                    isWithin(inAscendingOrder(page, range.order()), range.start(), range.end());
            case ReplicaRequest.ScanReadable range ->
                    isWithin(page.entries(), range.start(), range.end());
            case ReplicaRequest other -> false;
        };
    }

    private static List<Entry> inAscendingOrder(ReplicaAnswer.Page page, KeyOrder order) {
        return switch (order) {
            case ASCENDING -> page.entries();
            case DESCENDING -> page.entries().reversed();
        };
    }

    private static boolean fits(ReplicaAnswer.StreamedPage page, ReplicaRequest request) {
        return switch (request) {
            case ReplicaRequest.StreamPage give -> fits(page, give.start());
            case ReplicaRequest.StreamRecords give -> fits(page, give.start());
            case ReplicaRequest other -> false;
        };
    }

    private static boolean fits(ReplicaAnswer.StreamedPage page, byte[] start) {
        return isWithin(page.entries(), start, page.next()) && goesOn(start, page.next());
    }

    /** Whether the next page starts later: otherwise the copy would never end. */
    private static boolean goesOn(byte[] start, byte @Nullable [] next) {
        return next == null || Arrays.compareUnsigned(next, start) > 0;
    }

    private static boolean isWithin(List<Entry> entries, byte[] start, byte @Nullable [] end) {
        byte @Nullable [] before = null;
        for (Entry entry : entries) {
            byte[] key = entry.key();
            if (before == null
                    ? Arrays.compareUnsigned(key, start) < 0
                    : Arrays.compareUnsigned(key, before) <= 0) {
                return false;
            }
            before = key;
        }
        return before == null || end == null || Arrays.compareUnsigned(before, end) < 0;
    }
}
