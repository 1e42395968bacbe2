/** The command line of the testkit: {@code ./quorate sim}. */
@NullMarked
package dev.quorate.testkit;

import org.jspecify.annotations.NullMarked;
