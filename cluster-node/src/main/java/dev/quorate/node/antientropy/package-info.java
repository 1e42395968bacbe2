/**
 * Repair: compares the entries that this node and another both own, range by range, and sends and
 * fetches unchanged those that one of them lacks. This package never stamps an entry.
 */
package dev.quorate.node.antientropy;
