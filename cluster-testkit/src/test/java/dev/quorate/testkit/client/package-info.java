/** The Java client against clusters that break, judged by the checker. */
@NullMarked
package dev.quorate.testkit.client;

import org.jspecify.annotations.NullMarked;
