/** Limits how many operations a node executes at once. */
package dev.quorate.router.coordinator.admission;
