package dev.quorate.router.message;

import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.decree.Decree;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.EntryCodec;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Codec of one answer of a frame, in the layout of {@link PeerCodec}. */
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
    private static final byte ACCEPTING = 15;
    private static final byte COUNTED = 16;

    private static final int MAX_DETAIL_BYTES = 256;
    private static final int MAX_VALUE_BYTES = 0xFFFF;

    /** The shortest entry: a tombstone with a key of one byte. */
    private static final int MIN_ENTRY_BYTES = 17;

    private static final Failure[] FAILURES = Failure.values();

    private AnswerCodec() {}

    /** Encodes an answer; {@code null} stands for one that did not fit into the frame. */
    static void encode(@Nullable ReplicaAnswer answer, FieldWriter to) {
        switch (answer) {
            case null -> to.u8(DEFERRED);
            case ReplicaAnswer.Found found -> to.u8(FOUND).entry(found.entry());
            case ReplicaAnswer.Digested(Digest digest) -> {
                Fields.timestamp(digest.version(), to.u8(DIGESTED));
                to.u8(digest.from()).u64(digest.expiresAtMillis());
                to.u32(digest.valueBytes()).u32(digest.checksum());
            }
            case ReplicaAnswer.Absent absent -> to.u8(ABSENT);
            case ReplicaAnswer.Stored(Timestamp newest) -> Fields.timestamp(newest, to.u8(STORED));
            case ReplicaAnswer.Page page -> {
                to.u8(PAGE).u8((page.last() ? 1 : 0) | (page.isCut() ? 2 : 0));
                encodeEntries(page.entries(), to);
            }
            case ReplicaAnswer.Compared compared ->
                    ComparedCodec.encode(compared.range(), to.u8(COMPARED));
            case ReplicaAnswer.Inquired inquired ->
                    HeldKeyCodec.encode(inquired.held(), to.u8(INQUIRED));
            case ReplicaAnswer.Announced announced ->
                    MemberStateCodec.encode(announced.state(), to.u8(ANNOUNCED));
            case ReplicaAnswer.StreamedPage given -> {
                byte @Nullable [] next = given.next();
                to.u8(STREAMED_PAGE).flag(next != null);
                if (next != null) {
                    to.bytes(next);
                }
                encodeEntries(given.entries(), to);
            }
            case ReplicaAnswer.FromAcceptor(byte[] key, AcceptorAnswer acceptors) ->
                    AcceptorCodec.encode(key, acceptors, to.u8(AcceptorCodec.typeOf(acceptors)));
            case ReplicaAnswer.Accepting(Decree state) -> {
                Fields.timestamp(state.promised(), to.u8(ACCEPTING));
                Fields.timestamp(state.accepted(), to);
                to.bytes(Fields.encodeText(state.value(), MAX_VALUE_BYTES));
            }
            case ReplicaAnswer.Counted(long position) -> to.u8(COUNTED).u64(position);
            case ReplicaAnswer.Failed failed ->
                    to.u8(FAILED)
                            .u8(failed.reason().code())
                            .bytes(Fields.encodeText(failed.detail(), MAX_DETAIL_BYTES));
        }
    }

    private static void encodeEntries(List<Entry> entries, FieldWriter to) {
        to.u32(entries.size());
        for (Entry entry : entries) {
            to.entry(entry);
        }
    }

    /** Encodes the fields before the value, which must follow. */
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
        byte type = Fields.u8(from);
        if (type == DEFERRED) {
            return null;
        }
        ReplicaAnswer answer =
                switch (type) {
                    case FOUND -> new ReplicaAnswer.Found(EntryCodec.decode(from));
                    case ABSENT -> ReplicaAnswer.Absent.ABSENT;
                    case DIGESTED -> decodeDigest(from);
                    case STORED -> new ReplicaAnswer.Stored(Fields.timestamp(from));
                    case PAGE -> decodePage(from);
                    case FAILED -> decodeFailed(from);
                    case COMPARED -> new ReplicaAnswer.Compared(ComparedCodec.decode(from));
                    case INQUIRED -> new ReplicaAnswer.Inquired(HeldKeyCodec.decode(from));
                    case ANNOUNCED -> new ReplicaAnswer.Announced(MemberStateCodec.decode(from));
                    case STREAMED_PAGE -> decodeStreamedPage(from);
                    case ACCEPTING -> decodeAccepting(from);
                    case COUNTED -> new ReplicaAnswer.Counted(Fields.u64(from));
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
        Timestamp version = Fields.timestamp(from);
        int copies = Fields.u8(from) & 0xFF;
        long expiresAtMillis = Fields.u64(from);
        int valueBytes = Fields.u32(from);
        if (valueBytes < 0) {
            throw new MalformedException("a value of " + valueBytes + " bytes");
        }
        return new ReplicaAnswer.Digested(
                new Digest(version, copies, expiresAtMillis, valueBytes, Fields.u32(from)));
    }

    private static ReplicaAnswer.Page decodePage(ByteBuffer from) {
        byte flags = Fields.u8(from);
        int count = Fields.u32(from);
        if (flags < 0 || flags > 2) {
            throw new MalformedException("page flags " + flags);
        }
        if (count == 0 && flags != 1) {
            throw new MalformedException("an empty page that is not the last");
        }
        return new ReplicaAnswer.Page(entries(count, from), flags == 1, flags == 2);
    }

    private static ReplicaAnswer.StreamedPage decodeStreamedPage(ByteBuffer from) {
        byte @Nullable [] next = Fields.flag("more", from) ? Fields.bytes(from) : null;
        return new ReplicaAnswer.StreamedPage(entries(Fields.u32(from), from), next);
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

    private static ReplicaAnswer.Accepting decodeAccepting(ByteBuffer from) {
        try {
            return new ReplicaAnswer.Accepting(
                    new Decree(Fields.timestamp(from), Fields.timestamp(from), Fields.text(from)));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(String.valueOf(e.getMessage()));
        }
    }

    private static ReplicaAnswer.Failed decodeFailed(ByteBuffer from) {
        Failure reason = Fields.byCode(FAILURES, Failure::code, "failure code", from);
        return new ReplicaAnswer.Failed(reason, Fields.text(from));
    }

    /** Rejects an answer of another kind, or to another key. */
    private static void requireFits(ReplicaAnswer answer, ReplicaRequest request) {
        boolean fits =
                switch (answer) {
                    case ReplicaAnswer.Found found ->
                            Arrays.equals(keyOf(request), found.entry().key());
                    case ReplicaAnswer.Absent absent ->
                            keyOf(request) != null || request instanceof ReplicaRequest.Changed;
                    case ReplicaAnswer.Digested digested ->
                            request instanceof ReplicaRequest.ReadDigest
                                    || (request instanceof ReplicaRequest.Watch watch
                                            && !watch.isPrefix());
                    case ReplicaAnswer.Counted counted ->
                            request instanceof ReplicaRequest.Watch watch && watch.isPrefix();
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
                            request instanceof ReplicaRequest.Announce
                                    || request instanceof ReplicaRequest.Tell;
                    case ReplicaAnswer.FromAcceptor(byte[] key, AcceptorAnswer acceptors) ->
                            request instanceof ReplicaRequest.ToAcceptor asked
                                    && AcceptorCodec.fits(acceptors, asked.question());
                    case ReplicaAnswer.Accepting accepting ->
                            request instanceof ReplicaRequest.Propose asked
                                    && !asked.ballot().isAfter(accepting.state().promised());
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
            case ReplicaRequest.Watch watch when !watch.isPrefix() -> watch.key();
            case ReplicaRequest other -> null;
        };
    }

    private static boolean fits(ReplicaAnswer.Page page, ReplicaRequest request) {
        return switch (request) {
            case ReplicaRequest.ScanPage range ->
                    isWithin(
                            range.order() == KeyOrder.ASCENDING
                                    ? page.entries()
                                    : page.entries().reversed(),
                            range.start(),
                            range.end());
            case ReplicaRequest.ScanReadable range ->
                    isWithin(page.entries(), range.start(), range.end());
            case ReplicaRequest other -> false;
        };
    }

    private static boolean fits(ReplicaAnswer.StreamedPage page, ReplicaRequest request) {
        byte @Nullable [] start =
                switch (request) {
                    case ReplicaRequest.StreamPage give -> give.start();
                    case ReplicaRequest.StreamRecords give -> give.start();
                    case ReplicaRequest other -> null;
                };
        byte @Nullable [] next = page.next();
        // The next page must start later: otherwise the copy would never end.
        return start != null
                && isWithin(page.entries(), start, next)
                && (next == null || Arrays.compareUnsigned(next, start) > 0);
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
