/**
 * Encodings: checksums, variable-length integers, entries, file names. Pure functions without I/O.
 * Every multi-byte number is big-endian.
 */
package dev.quorate.storage.format;
