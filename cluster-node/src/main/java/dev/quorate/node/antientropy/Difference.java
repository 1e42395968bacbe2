package dev.quorate.node.antientropy;

import dev.quorate.node.message.ComparedRange.Listed;
import org.jspecify.annotations.Nullable;

/**
 * A key of which the two members hold different entries, or held when they were listed.
 *
 * @param theirs the other's, without its value; null if it listed none
 */
record Difference(byte[] key, @Nullable Listed theirs) {}
