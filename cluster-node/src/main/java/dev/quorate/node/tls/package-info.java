/**
 * Certificates and keys: reads them from PEM, and makes the contexts of TLS for the clients' port,
 * the peers' port and the connections to peers.
 */
package dev.quorate.node.tls;
