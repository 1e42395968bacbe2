package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The last proposal of a write, or its denial, as accepted by one replica. A retry needs it to find
 * the version that an earlier attempt was to succeed, and to compare the requests.
 *
 * @param base the version that it was last proposed to succeed; null if it was denied for good
 * @param digest the digest of the client's request, the same in a retry; 0 if its version has it
 */
public record Fate(Timestamp ballot, @Nullable Timestamp base, long digest) {}
