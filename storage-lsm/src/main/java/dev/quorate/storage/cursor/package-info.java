/**
 * Cursors made of other cursors: many sorted sources seen as one.
 *
 * <p>Allowed imports: the JDK, {@code storage}.
 */
@NullMarked
package dev.quorate.storage.cursor;

import org.jspecify.annotations.NullMarked;
