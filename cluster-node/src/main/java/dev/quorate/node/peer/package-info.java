/** Receives the exchanges of the other nodes, and passes their requests to this node's replica. */
package dev.quorate.node.peer;
