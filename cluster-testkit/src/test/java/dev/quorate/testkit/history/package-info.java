/** Tests of the checker: against exhaustive search, against a correct store, and by hand. */
@NullMarked
package dev.quorate.testkit.history;

import org.jspecify.annotations.NullMarked;
