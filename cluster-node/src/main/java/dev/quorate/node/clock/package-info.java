/** The bound of the hybrid clock, and the moments that a node stores on disk. */
package dev.quorate.node.clock;
