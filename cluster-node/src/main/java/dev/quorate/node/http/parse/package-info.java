/** Parses HTTP/1.1 and WebSocket messages strictly: bytes to requests, without sockets. */
package dev.quorate.node.http.parse;
