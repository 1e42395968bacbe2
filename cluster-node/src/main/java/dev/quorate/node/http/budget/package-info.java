/**
 * Limits the resources of clients, in total and for each address: bytes of bodies and answers,
 * connections, streams, file descriptors, and time.
 */
package dev.quorate.node.http.budget;
