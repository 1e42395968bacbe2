/**
 * Repair: compares the entries that this node and another both own, range by range, and sends and
 * fetches unchanged those that one of them lacks. This package never stamps an entry.
 */
@NullMarked
package dev.quorate.node.antientropy;

import org.jspecify.annotations.NullMarked;
