/** Waits for changes of keys (decision 0054): {@code WaitRound} decides, {@code Wait} acts. */
package dev.quorate.router.coordinator.waiting;
