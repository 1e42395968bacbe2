/**
 * Histories of the operations of clients, and their checker. Independent of nodes: a history may be
 * of a simulation, an embedded cluster or real processes.
 */
@NullMarked
package dev.quorate.testkit.history;

import org.jspecify.annotations.NullMarked;
