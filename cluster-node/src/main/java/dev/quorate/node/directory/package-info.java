/** The files of a node's data directory. */
package dev.quorate.node.directory;
