package dev.quorate.node.antientropy;

import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * A key of which the two members hold different entries, or held when they were listed.
 *
 * @param theirs the timestamp of the other's; null if it listed none
 */
record Difference(byte[] key, @Nullable Timestamp theirs) {}
