/** The hybrid logical clock, which stamps writes. */
@NullMarked
package dev.quorate.router.clock;

import org.jspecify.annotations.NullMarked;
