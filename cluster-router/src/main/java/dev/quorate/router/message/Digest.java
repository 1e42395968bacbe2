package dev.quorate.router.message;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The digest of a live entry, sent instead of its value to compare replicas, as in Cassandra's
 * digest reads.
 *
 * <p>The version alone nearly suffices, but a client that chooses versions may use one for two
 * values.
 *
 * @param from the number of replicas that it was written to
 * @param expiresAtMillis in milliseconds since 1970, or {@link Entry#NEVER}
 * @param valueBytes the length of the value
 * @param checksum the CRC-32C of the value, followed by its content type if it has one. It detects
 *     errors; the seal prevents forgery
 */
public record Digest(
        Timestamp version, int from, long expiresAtMillis, int valueBytes, int checksum) {

    /** Values up to this size are sent instead: a second request costs more than their bytes. */
    public static final int SHORT_VALUE_BYTES = 512;

    public static Digest of(Entry entry) {
        return new Digest(
                entry.timestamp(),
                entry.from(),
                entry.expiresAtMillis(),
                entry.valueBytes(),
                checksum(entry));
    }

    private static int checksum(Entry entry) {
        CRC32C crc = new CRC32C();
        crc.update(entry.value());
        String type = entry.contentType();
        if (type != null) {
            crc.update(type.getBytes(StandardCharsets.US_ASCII));
        }
        return (int) crc.getValue();
    }

    public boolean isOf(Entry entry) {
        return version.equals(entry.timestamp())
                && !entry.isTombstone()
                && from == entry.from()
                && expiresAtMillis == entry.expiresAtMillis()
                && valueBytes == entry.valueBytes()
                && checksum == checksum(entry);
    }
}
