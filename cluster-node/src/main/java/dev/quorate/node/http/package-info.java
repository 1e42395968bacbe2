/**
 * HTTP/1.1 over sockets: the listener and its connections, a strict parser, the encoder of answers,
 * deadlines, and the budgets of bytes that all connections share. It passes requests to an {@link
 * dev.quorate.node.http.HttpHandler} without interpreting them. The only user of one-nio.
 */
@NullMarked
package dev.quorate.node.http;

import org.jspecify.annotations.NullMarked;
