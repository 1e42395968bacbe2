/**
 * Conversations with replicas that run beside the clients' requests. A {@link
 * dev.quorate.router.background.Job} decides its next step; the {@link
 * dev.quorate.router.background.JobDriver} asks, writes, paces, pauses and cancels. The jobs
 * themselves are where their subject is: {@code antientropy}, {@code handoff}.
 */
@NullMarked
package dev.quorate.router.background;

import org.jspecify.annotations.NullMarked;
