/** The ring, which maps ranges of tokens to members. */
@NullMarked
package dev.quorate.router.ring;

import org.jspecify.annotations.NullMarked;
