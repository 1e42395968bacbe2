/** The observed health of peers, and breakers, which decide whether peers are asked. */
@NullMarked
package dev.quorate.router.health;

import org.jspecify.annotations.NullMarked;
