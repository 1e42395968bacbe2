/**
 * The live files of the store: a log of {@link dev.quorate.storage.manifest.VersionEdit edits},
 * each an atomic change from one {@link dev.quorate.storage.manifest.Version} to the next. The
 * layout is drawn in {@code docs/formats/manifest.md}. Allowed imports: the JDK, {@code storage},
 * {@code storage.format}, {@code storage.io}, and {@code TableMetadata}.
 */
@NullMarked
package dev.quorate.storage.manifest;

import org.jspecify.annotations.NullMarked;
