/** Compares two builds: pure statistics of paired measurements. Uses nothing but the JDK. */
@NullMarked
package dev.quorate.loadtest.pairs;

import org.jspecify.annotations.NullMarked;
