/** The node's options: their names, defaults, limits, and where they come from. */
@NullMarked
package dev.quorate.node.config;

import org.jspecify.annotations.NullMarked;
