/**
 * Checkpoints of a node: copies of its data directory by hard links, made while it runs.
 *
 * <p>Allowed imports: {@code membership}'s files, {@code runtime}, and {@code storage} with its
 * {@code io}.
 */
@NullMarked
package dev.quorate.node.checkpoint;

import org.jspecify.annotations.NullMarked;
