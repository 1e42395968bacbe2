package dev.quorate.node.message;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.zip.CRC32C;

/**
 * What a replica says of a live entry in place of sending its value, so that another can see
 * whether it has the same. As in Cassandra's digest reads.
 *
 * <p>The version alone nearly says it; but a client that names its versions itself may give one to
 * two values.
 *
 * @param from to how many replicas it was written
 * @param expiresAtMillis in milliseconds since 1970; {@link Entry#NEVER}
 * @param valueBytes of the value
 * @param checksum of the value, CRC-32C: against mistakes, not against forgers, who have no secret
 */
public record Digest(
        Timestamp version, int from, long expiresAtMillis, int valueBytes, int checksum) {

    /** Values up to so long are sent themselves: to ask for one again costs more than its bytes. */
    public static final int SHORT_VALUE_BYTES = 512;

    /** Of a live entry. */
    public static Digest of(Entry entry) {
        return new Digest(
                entry.timestamp(),
                entry.from(),
                entry.expiresAtMillis(),
                entry.valueBytes(),
                checksum(entry.value()));
    }

    private static int checksum(byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(value);
        return (int) crc.getValue();
    }

    /** Whether it is that of this entry. */
    public boolean isOf(Entry entry) {
        return version.equals(entry.timestamp())
                && !entry.isTombstone()
                && from == entry.from()
                && expiresAtMillis == entry.expiresAtMillis()
                && valueBytes == entry.valueBytes()
                && checksum == checksum(entry.value());
    }
}
