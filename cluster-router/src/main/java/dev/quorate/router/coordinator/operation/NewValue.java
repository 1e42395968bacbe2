package dev.quorate.router.coordinator.operation;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The value that a put stores. The array is not copied.
 *
 * @param timeToLive counted from the version, so that a retry expires at the same moment; null for
 *     no expiry
 * @param contentType see {@link Entry#isContentType}; null for none
 */
public record NewValue(byte[] bytes, @Nullable Duration timeToLive, @Nullable String contentType) {

    /** When the value of a version expires, in milliseconds since 1970, or {@link Entry#NEVER}. */
    public long expiresAtMillis(Timestamp version) {
        return timeToLive == null ? Entry.NEVER : version.wallMillis() + timeToLive.toMillis();
    }

    public Entry entry(byte[] key, Timestamp version, int from) {
        return Entry.expiring(key, version, bytes, from, expiresAtMillis(version))
                .withContentType(contentType);
    }
}
