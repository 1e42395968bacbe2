/** Cursors composed of other cursors. */
@NullMarked
package dev.quorate.storage.cursor;

import org.jspecify.annotations.NullMarked;
