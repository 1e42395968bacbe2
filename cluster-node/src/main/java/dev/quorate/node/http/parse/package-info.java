/** A strict parser of HTTP/1.1 and of WebSocket messages: bytes to requests, without sockets. */
@NullMarked
package dev.quorate.node.http.parse;

import org.jspecify.annotations.NullMarked;
