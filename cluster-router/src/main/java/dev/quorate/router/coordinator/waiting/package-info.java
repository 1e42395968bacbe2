/**
 * Waits for changes (decision 0054): {@code WaitRound} decides those of keys, {@code Wait} acts.
 */
package dev.quorate.router.coordinator.waiting;
