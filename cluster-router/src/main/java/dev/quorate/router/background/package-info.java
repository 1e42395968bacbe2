/**
 * Conversations with replicas in the background of client requests. A {@link
 * dev.quorate.router.background.Job} decides its next step; the {@link
 * dev.quorate.router.background.JobDriver} asks, writes, paces, pauses and cancels. The jobs
 * themselves are in {@code antientropy} and {@code handoff}.
 */
package dev.quorate.router.background;
