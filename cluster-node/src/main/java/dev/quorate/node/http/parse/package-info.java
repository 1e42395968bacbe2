/** Parses HTTP/1.1 and WebSocket messages strictly: bytes to requests, without sockets. */
@NullMarked
package dev.quorate.node.http.parse;

import org.jspecify.annotations.NullMarked;
