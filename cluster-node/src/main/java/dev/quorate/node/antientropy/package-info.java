/**
 * Repair: compares what this node and another one both hold, range by range, and sends and fetches
 * the entries that one of them lacks, as they are. Nothing here ever stamps.
 */
@NullMarked
package dev.quorate.node.antientropy;

import org.jspecify.annotations.NullMarked;
