/**
 * Cursors composed of other cursors.
 *
 * <p>Allowed imports: the JDK, {@code storage}.
 */
@NullMarked
package dev.quorate.storage.cursor;

import org.jspecify.annotations.NullMarked;
