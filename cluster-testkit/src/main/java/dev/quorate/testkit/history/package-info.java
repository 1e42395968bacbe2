/**
 * Histories of the operations and answers of clients, and a checker of them. Independent of nodes:
 * a history may come from a simulation, an embedded cluster or real processes.
 */
@NullMarked
package dev.quorate.testkit.history;

import org.jspecify.annotations.NullMarked;
