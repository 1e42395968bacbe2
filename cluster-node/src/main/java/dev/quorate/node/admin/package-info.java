/**
 * The pages for operators: metrics, health, the ring, events.
 *
 * <p>Reads the figures of other packages, and can begin a repair and have checkpoints made; changes
 * nothing else.
 */
@NullMarked
package dev.quorate.node.admin;

import org.jspecify.annotations.NullMarked;
