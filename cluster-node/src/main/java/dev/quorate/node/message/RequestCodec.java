package dev.quorate.node.message;

import dev.quorate.storage.format.EntryCodec;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One request of a frame. The layout is drawn in {@link PeerCodec}. */
final class RequestCodec {

    private static final byte READ = 1;
    private static final byte WRITE = 2;
    private static final byte SCAN_PAGE = 3;

    private RequestCodec() {}

    static int encodedSize(ReplicaRequest request) {
        return Byte.BYTES
                + switch (request) {
                    case ReplicaRequest.Read read -> Fields.sizeOf(read.key());
                    case ReplicaRequest.Write write -> EntryCodec.encodedSize(write.entry());
                    case ReplicaRequest.ScanPage page ->
                            Fields.sizeOf(page.start())
                                    + Byte.BYTES
                                    + (page.end() == null ? 0 : Fields.sizeOf(page.end()))
                                    + Integer.BYTES;
                };
    }

    static void encode(ReplicaRequest request, ByteBuffer to) {
        switch (request) {
            case ReplicaRequest.Read read -> {
                to.put(READ);
                Fields.putBytes(read.key(), to);
            }
            case ReplicaRequest.Write write -> {
                to.put(WRITE);
                EntryCodec.encode(write.entry(), to);
            }
            case ReplicaRequest.ScanPage page -> encodePage(page, to);
        }
    }

    /** As {@link #encode}, but for the value's bytes, which have to follow. */
    static void encodeHead(ReplicaRequest.Write write, ByteBuffer to) {
        to.put(WRITE);
        EntryCodec.encodeHead(write.entry(), to);
    }

    private static void encodePage(ReplicaRequest.ScanPage page, ByteBuffer to) {
        byte @Nullable [] end = page.end();
        to.put(SCAN_PAGE);
        Fields.putBytes(page.start(), to);
        to.put((byte) (end == null ? 0 : 1));
        if (end != null) {
            Fields.putBytes(end, to);
        }
        to.putInt(page.maxBytes());
    }

    /** Reads a request that ends where {@code from} does. */
    static ReplicaRequest decode(ByteBuffer from) {
        Fields.require(from, Byte.BYTES);
        byte type = from.get();
        return switch (type) {
            case READ -> new ReplicaRequest.Read(key(from));
            case WRITE -> new ReplicaRequest.Write(EntryCodec.decode(from));
            case SCAN_PAGE -> decodePage(from);
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

    private static ReplicaRequest.ScanPage decodePage(ByteBuffer from) {
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
        return new ReplicaRequest.ScanPage(start, end, maxBytes);
    }
}
