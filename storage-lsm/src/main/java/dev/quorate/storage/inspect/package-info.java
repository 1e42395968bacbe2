/**
 * Tools for a store that is not open: {@code Verification} reads its files, {@code Salvage} repairs
 * its log.
 */
@NullMarked
package dev.quorate.storage.inspect;

import org.jspecify.annotations.NullMarked;
