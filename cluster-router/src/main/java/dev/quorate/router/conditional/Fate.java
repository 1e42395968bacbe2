package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * What became of a write, as one replica has accepted it. A retry needs it to find the version that
 * an earlier attempt was to succeed, and whether that was the same request.
 *
 * @param base the version that it was last proposed to succeed; null if it was denied for good
 * @param digest of the client's request: a retry has the same; 0 if its version has the digest
 */
public record Fate(Timestamp ballot, @Nullable Timestamp base, long digest) {}
