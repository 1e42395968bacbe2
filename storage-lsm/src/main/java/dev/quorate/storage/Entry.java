package dev.quorate.storage;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A key, its timestamp, and a value or a tombstone.
 *
 * <p>The arrays are copied neither in nor out: an entry passes from the socket to the log and back
 * without a copy. Neither its creator nor its readers may modify them.
 *
 * @param value null for a tombstone
 * @param from number of replicas that the writer addressed; 0 if unknown
 * @param expiresAtMillis milliseconds since 1970 after which the entry is absent, or {@link #NEVER}
 * @param contentType the media type that the writer gave the value; null for none, and for a
 *     tombstone
 */
public record Entry(
        byte[] key,
        Timestamp timestamp,
        byte @Nullable [] value,
        int from,
        long expiresAtMillis,
        @Nullable String contentType) {

    /** Longest key, in bytes: the limit of the formats. The client API allows less. */
    public static final int MAX_KEY_BYTES = 65_535;

    /** Longest value, in bytes: the limit of one log record. */
    public static final int MAX_VALUE_BYTES = 1 << 28;

    /** Longest content type, in bytes: its length has one byte in the formats. */
    public static final int MAX_CONTENT_TYPE_BYTES = 255;

    /** In {@link #expiresAtMillis}: the entry never expires. */
    public static final long NEVER = 0;

    public Entry {
        Objects.requireNonNull(timestamp);
        if (key.length == 0 || key.length > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("key of " + key.length + " bytes");
        }
        if (value != null && value.length > MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("value of " + value.length + " bytes");
        }
        if (from < 0 || from > 255) {
            throw new IllegalArgumentException("from must be 0 to 255: " + from);
        }
        if (expiresAtMillis < 0) {
            throw new IllegalArgumentException("expiresAtMillis: " + expiresAtMillis);
        }
        if (contentType != null && (value == null || !isContentType(contentType))) {
            throw new IllegalArgumentException("content type: " + contentType);
        }
    }

    /**
     * Whether an entry can have this content type: 1 to {@link #MAX_CONTENT_TYPE_BYTES} printable
     * ASCII characters. The store does not interpret it.
     */
    public static boolean isContentType(String text) {
        boolean isPrintable = !text.isEmpty() && text.length() <= MAX_CONTENT_TYPE_BYTES;
        for (int i = 0; isPrintable && i < text.length(); i++) {
            isPrintable = text.charAt(i) >= ' ' && text.charAt(i) <= '~';
        }
        return isPrintable;
    }

    /**
     * A live entry.
     *
     * @param from the number of replicas that own the entry, 1 to 255; 0 for the cluster's default
     */
    public static Entry value(byte[] key, Timestamp timestamp, byte[] value, int from) {
        return new Entry(key, timestamp, Objects.requireNonNull(value), from, NEVER, null);
    }

    /**
     * A live entry that is absent from {@code expiresAtMillis} on.
     *
     * @param expiresAtMillis milliseconds since 1970, the same on every replica
     */
    public static Entry expiring(
            byte[] key, Timestamp timestamp, byte[] value, int from, long expiresAtMillis) {
        return new Entry(
                key, timestamp, Objects.requireNonNull(value), from, expiresAtMillis, null);
    }

    /** A marker that the key was deleted at {@code timestamp}. */
    public static Entry tombstone(byte[] key, Timestamp timestamp, int from) {
        return new Entry(key, timestamp, null, from, NEVER, null);
    }

    /**
     * A copy with the media type of its value.
     *
     * @param type see {@link #isContentType}; null for none
     * @throws IllegalArgumentException if it is not a content type, or this is a tombstone
     */
    public Entry withContentType(@Nullable String type) {
        return Objects.equals(type, contentType)
                ? this
                : new Entry(key, timestamp, value, from, expiresAtMillis, type);
    }

    /** A copy under another key; this entry if the key is the same array. */
    @SuppressWarnings("ReferenceEquality") // Only avoids a copy.
    Entry withKey(byte[] other) {
        return other == key
                ? this
                : new Entry(other, timestamp, value, from, expiresAtMillis, contentType);
    }

    public boolean isTombstone() {
        return value == null;
    }

    /**
     * The value's bytes.
     *
     * @throws IllegalStateException on a tombstone
     */
    @Override
    public byte[] value() {
        if (value == null) {
            throw new IllegalStateException("a tombstone has no value");
        }
        return value;
    }

    /** Bytes of the value; 0 for a tombstone. */
    public int valueBytes() {
        return value == null ? 0 : value.length;
    }

    /** Bytes of the key, the value and the content type. */
    public long dataBytes() {
        return (long) key.length + valueBytes() + (contentType == null ? 0 : contentType.length());
    }

    /** Whether the entry is absent at {@code wallMillis}, in milliseconds since 1970. */
    public boolean isExpired(long wallMillis) {
        return isExpired(expiresAtMillis, wallMillis);
    }

    /** Whether an entry with this expiry, or {@link #NEVER}, is absent at {@code wallMillis}. */
    public static boolean isExpired(long expiresAtMillis, long wallMillis) {
        return expiresAtMillis != NEVER && expiresAtMillis <= wallMillis;
    }

    /**
     * The entry as a reader at {@code wallMillis} sees it: the entry itself or, once it has
     * expired, a tombstone with its timestamp. An expired entry still shadows older ones of its
     * key, in this store and on other replicas.
     */
    public Entry asOf(long wallMillis) {
        return isExpired(wallMillis) ? tombstone(key, timestamp, from) : this;
    }

    /**
     * Whether this entry wins over another of the same key. A total order, so that replicas
     * converge regardless of the order of arrival: by timestamp; at the same timestamp a tombstone
     * wins over a value, then the larger bytes win, then the earlier expiry, then the content type:
     * any type over none, then the later one in the order of its characters.
     */
    public boolean supersedes(Entry other) {
        return compareAge(other) > 0;
    }

    /** Positive if this entry is newer than {@code other} in the order of {@link #supersedes}. */
    public int compareAge(Entry other) {
        int byTime = timestamp.compareTo(other.timestamp);
        if (byTime != 0) {
            return byTime;
        }
        if (value == null || other.value == null) {
            return Boolean.compare(value == null, other.value == null);
        }
        int byValue = Arrays.compareUnsigned(value, other.value);
        if (byValue != 0) {
            return byValue;
        }
        int byExpiry = compareExpiry(expiresAtMillis, other.expiresAtMillis);
        return byExpiry != 0 ? byExpiry : compareType(contentType, other.contentType);
    }

    /** Positive if the first is earlier. */
    static int compareExpiry(long one, long other) {
        // NEVER is 0: minus one, unsigned, it is the latest of all.
        return Long.compareUnsigned(other - 1, one - 1);
    }

    /** Positive if the first wins. */
    static int compareType(@Nullable String one, @Nullable String other) {
        if (one == null || other == null) {
            return Boolean.compare(one != null, other != null);
        }
        return one.compareTo(other);
    }

    /**
     * Whether two entries of a key with the same timestamp are equivalent at {@code wallMillis}: an
     * expired value equals a tombstone. {@link #from} is ignored.
     */
    public boolean hasSameContent(Entry other, long wallMillis) {
        if (value == null || other.value == null) {
            return (value == null || isExpired(wallMillis))
                    && (other.value == null || other.isExpired(wallMillis));
        }
        return expiresAtMillis == other.expiresAtMillis
                && Objects.equals(contentType, other.contentType)
                && Arrays.equals(value, other.value);
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof Entry other
                && timestamp.equals(other.timestamp)
                && from == other.from
                && expiresAtMillis == other.expiresAtMillis
                && Objects.equals(contentType, other.contentType)
                && Arrays.equals(key, other.key)
                && Arrays.equals(value, other.value);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(key) + timestamp.hashCode();
    }

    @Override
    public String toString() {
        String what = value == null ? "tombstone" : value.length + " bytes";
        return "Entry[key of " + key.length + " bytes, " + timestamp + ", " + what + "]";
    }
}
