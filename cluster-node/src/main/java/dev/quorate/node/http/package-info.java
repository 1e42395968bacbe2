/**
 * HTTP as the rest of the node sees it: a request, its exchange, and an answer. {@code http.parse}
 * parses requests, {@code http.connection} has the sockets, and {@code http.budget} limits the
 * resources of clients. None of these packages interprets a request.
 */
package dev.quorate.node.http;
