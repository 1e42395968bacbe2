/**
 * Stores hints for replicas that are down, and replays them when they are back.
 *
 * <p>An optimization: hints are bounded in bytes and in age, may be lost, and never count as
 * acknowledgements.
 */
package dev.quorate.node.handoff;
