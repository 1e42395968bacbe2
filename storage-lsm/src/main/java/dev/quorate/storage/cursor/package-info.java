/** Cursors composed of other cursors. */
package dev.quorate.storage.cursor;
