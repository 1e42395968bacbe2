/** The protocol of conditional writes by itself, on a network that does what it likes. */
@NullMarked
package dev.quorate.testkit.conditional;

import org.jspecify.annotations.NullMarked;
