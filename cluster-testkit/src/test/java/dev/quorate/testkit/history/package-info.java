/** Tests of the judge: against exhaustive search, against a store that is right, and by hand. */
@NullMarked
package dev.quorate.testkit.history;

import org.jspecify.annotations.NullMarked;
