/**
 * How things look as bytes: checksums, variable-length integers, the encoding of an entry, file
 * names. Pure: no I/O. Every multi-byte number is big-endian. Allowed imports: the JDK and the
 * public face.
 */
@NullMarked
package dev.quorate.storage.format;

import org.jspecify.annotations.NullMarked;
