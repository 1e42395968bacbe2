/** The files of a node's data directory. */
@NullMarked
package dev.quorate.node.directory;

import org.jspecify.annotations.NullMarked;
