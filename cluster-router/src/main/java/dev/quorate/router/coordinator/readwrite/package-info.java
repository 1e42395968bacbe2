/**
 * Reads and writes of one key. {@link dev.quorate.router.coordinator.readwrite.ReadRound} and
 * {@link dev.quorate.router.coordinator.readwrite.WriteRound} decide each step, the operations
 * carry it out.
 */
package dev.quorate.router.coordinator.readwrite;
