/**
 * The disk, as the store sees it. {@code StorageFiles} is the only way to it, so that a test can
 * swap in one that fails; {@code java.nio.channels} is used nowhere else in this module.
 */
@NullMarked
package dev.quorate.storage.io;

import org.jspecify.annotations.NullMarked;
