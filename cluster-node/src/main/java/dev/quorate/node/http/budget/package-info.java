/**
 * What clients may hold: bytes of bodies and answers, connections, streams and file descriptors, in
 * total and for each address, and for how long.
 */
@NullMarked
package dev.quorate.node.http.budget;

import org.jspecify.annotations.NullMarked;
