/** A load, whoever sends it: what is sent, how, and what came of it. */
@NullMarked
package dev.quorate.loadtest.load;

import org.jspecify.annotations.NullMarked;
