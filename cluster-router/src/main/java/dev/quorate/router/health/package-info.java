/** Which peers to ask: breakers, and what they observe. */
@NullMarked
package dev.quorate.router.health;

import org.jspecify.annotations.NullMarked;
