/**
 * Encodings: checksums, variable-length integers, entries, file names. Pure functions without I/O.
 * Every multi-byte number is big-endian. Allowed imports: the JDK and {@code storage}.
 */
@NullMarked
package dev.quorate.storage.format;

import org.jspecify.annotations.NullMarked;
