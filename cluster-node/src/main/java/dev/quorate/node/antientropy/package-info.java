/**
 * Repair: compares what this node and another one both hold, range by range, and sends and fetches
 * the entries that one of them lacks, as they are. Nothing here ever stamps.
 *
 * <p>Allowed imports: {@code membership}, {@code background}, {@code replica}, {@code message},
 * {@code runtime}, {@code storage}, {@code router}.
 */
@NullMarked
package dev.quorate.node.antientropy;

import org.jspecify.annotations.NullMarked;
