/** Checkpoints of a node: copies of its data directory by hard links, made while it runs. */
package dev.quorate.node.checkpoint;
