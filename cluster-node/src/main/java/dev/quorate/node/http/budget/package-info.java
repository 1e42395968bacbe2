/**
 * Limits the resources of clients, in total and for each address: bytes of bodies and answers,
 * connections, streams, file descriptors, and time.
 */
@NullMarked
package dev.quorate.node.http.budget;

import org.jspecify.annotations.NullMarked;
