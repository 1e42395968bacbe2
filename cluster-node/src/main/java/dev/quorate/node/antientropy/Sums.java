package dev.quorate.node.antientropy;

import dev.quorate.router.token.Token;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Hashes an entry. The sum of a range is the sum of these hashes, whatever the order of the entries
 * and the division of the range.
 *
 * <p>The hash covers the key, the timestamp and, unless the entry expires, the value and its
 * content type. A timestamp identifies a value, but a client may send it again with another value.
 * A value that expires is not covered: clocks differ, so it may be a value on one replica and a
 * tombstone on another. Two different ranges have the same sum with a probability of 2^-64, and
 * each repair has another salt, so that no client can craft a difference that is never noticed.
 */
final class Sums {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Sums() {}

    static long hash(int salt, Entry entry) {
        return hash(salt, entry.key(), entry.timestamp(), content(entry));
    }

    static long hash(int salt, byte[] key, Timestamp timestamp, int content) {
        long hash = mix(Token.hash(key) ^ mix(salt * GOLDEN + GOLDEN));
        hash = mix(hash + timestamp.hybrid() * GOLDEN);
        hash = mix(hash ^ (timestamp.node() + GOLDEN));
        if (timestamp.hasStep()) {
            hash = mix(hash + timestamp.step() * GOLDEN);
        }
        return mix(hash + content * GOLDEN);
    }

    /** The value's checksum, which is not 0; or 0 for a tombstone and for a value that expires. */
    static int content(Entry entry) {
        if (entry.isTombstone() || entry.expiresAtMillis() != Entry.NEVER) {
            return 0;
        }
        CRC32C crc = new CRC32C();
        crc.update(entry.value());
        return content(crc, entry.contentType());
    }

    /** The same for a long value, which is read in pieces. */
    static int content(UnreadValue value) {
        if (value.expiresAtMillis() != Entry.NEVER) {
            return 0;
        }
        CRC32C crc = new CRC32C();
        byte[] piece = new byte[UnreadValue.PIECE_BYTES];
        for (int at = 0; at < value.bytes(); at += piece.length) {
            int count = Math.min(piece.length, value.bytes() - at);
            value.copy(at, piece, count);
            crc.update(piece, 0, count);
        }
        return content(crc, value.contentType());
    }

    private static int content(CRC32C ofValue, @Nullable String contentType) {
        if (contentType != null) {
            ofValue.update(contentType.getBytes(StandardCharsets.US_ASCII));
        }
        int checksum = (int) ofValue.getValue();
        return checksum == 0 ? 1 : checksum;
    }

    /** The finalizer of SplittableRandom (Stafford's variant 13). */
    private static long mix(long bits) {
        long mixed = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
