/**
 * Histories of the operations of clients, and their checker. Independent of nodes: a history may be
 * of a simulation, an embedded cluster or real processes.
 */
package dev.quorate.testkit.history;
