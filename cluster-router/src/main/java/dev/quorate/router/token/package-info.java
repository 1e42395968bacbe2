/** Tokens, which are points on the ring, and the hash that maps a key to one. */
package dev.quorate.router.token;
