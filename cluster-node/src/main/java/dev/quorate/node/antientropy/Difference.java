package dev.quorate.node.antientropy;

import dev.quorate.node.message.ComparedRange.Listed;
import org.jspecify.annotations.Nullable;

/**
 * A key of which the two members had different entries when they were compared.
 *
 * @param theirs the other's entry, without its value; null if it has none
 */
record Difference(byte[] key, @Nullable Listed theirs) {}
