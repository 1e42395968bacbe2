/** The ring: which member owns which range of tokens. */
@NullMarked
package dev.quorate.router.ring;

import org.jspecify.annotations.NullMarked;
