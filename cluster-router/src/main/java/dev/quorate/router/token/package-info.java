/** Tokens, which are points on the ring, and the hash that maps a key to one. */
@NullMarked
package dev.quorate.router.token;

import org.jspecify.annotations.NullMarked;
