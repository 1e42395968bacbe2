/**
 * The messages between nodes: requests to one replica and its answers, and their binary encoding.
 *
 * <p>Pure: no I/O, no clock, no threads.
 */
package dev.quorate.router.message;
