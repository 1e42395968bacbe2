/**
 * The listener and its connections: sockets, TLS, WebSocket, the state of a connection, and the
 * encoder of answers. The only user of one-nio.
 */
package dev.quorate.node.http.connection;
