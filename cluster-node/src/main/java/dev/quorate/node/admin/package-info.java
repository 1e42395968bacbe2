/**
 * The pages for operators: metrics, health, the ring, events.
 *
 * <p>Reads the figures of other packages, and starts operators' actions: repairs, checkpoints, the
 * acceptance of losses, log levels.
 */
package dev.quorate.node.admin;
