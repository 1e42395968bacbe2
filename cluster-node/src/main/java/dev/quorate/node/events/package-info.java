/**
 * What has happened to this node lately, in words: {@code EventLog} has the last events, {@code
 * Changes} decides from two observations what has happened between them, and {@code EventRecorder}
 * observes the node once a second. No event contains a key or a value. May know {@code
 * coordinator}, {@code handoff}, {@code health} and {@code antientropy}, whose figures it compares.
 */
@NullMarked
package dev.quorate.node.events;

import org.jspecify.annotations.NullMarked;
