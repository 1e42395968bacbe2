/** The bound of the hybrid clock, and the moments that a node stores on disk. */
@NullMarked
package dev.quorate.node.clock;

import org.jspecify.annotations.NullMarked;
