/**
 * The HTTP edge: one-nio sockets (whose only user this package is), a strict HTTP/1.1 parser, and
 * the client API over them.
 */
@NullMarked
package dev.quorate.node.http;

import org.jspecify.annotations.NullMarked;
