/**
 * The messages between nodes: requests to one replica and its answers, and their binary encoding.
 *
 * <p>Pure: no I/O, no clock, no threads.
 */
@NullMarked
package dev.quorate.router.message;

import org.jspecify.annotations.NullMarked;
