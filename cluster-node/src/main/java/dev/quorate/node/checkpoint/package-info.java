/** Checkpoints of a node: copies of its data directory by hard links, made while it runs. */
@NullMarked
package dev.quorate.node.checkpoint;

import org.jspecify.annotations.NullMarked;
