/** Receives the exchanges of the other nodes, and passes their requests to this node's replica. */
@NullMarked
package dev.quorate.node.peer;

import org.jspecify.annotations.NullMarked;
