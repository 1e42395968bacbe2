/**
 * Encodings: checksums, variable-length integers, entries, file names. Pure functions without I/O.
 * Every multi-byte number is big-endian.
 */
@NullMarked
package dev.quorate.storage.format;

import org.jspecify.annotations.NullMarked;
