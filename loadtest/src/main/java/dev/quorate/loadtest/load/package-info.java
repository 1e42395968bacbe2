/** A load apart from its sender: its requests, its pace and its result. */
@NullMarked
package dev.quorate.loadtest.load;

import org.jspecify.annotations.NullMarked;
