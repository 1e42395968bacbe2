/**
 * Tools for a store that is not open: {@code Verification} reads its files, {@code Salvage} repairs
 * its log.
 */
package dev.quorate.storage.inspect;
