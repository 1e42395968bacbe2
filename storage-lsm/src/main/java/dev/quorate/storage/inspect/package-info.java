/**
 * Tools for a store that is not open: {@code Verification} and {@code Dump} read its files, {@code
 * Salvage} repairs its log.
 *
 * <p>Allowed imports: the JDK, {@code storage}, {@code storage.format}, {@code storage.io}, {@code
 * storage.manifest}, {@code storage.sstable}, {@code storage.wal}.
 */
@NullMarked
package dev.quorate.storage.inspect;

import org.jspecify.annotations.NullMarked;
