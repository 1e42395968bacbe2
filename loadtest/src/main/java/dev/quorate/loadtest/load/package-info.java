/** Loads: their requests, their pace and their results. */
@NullMarked
package dev.quorate.loadtest.load;

import org.jspecify.annotations.NullMarked;
