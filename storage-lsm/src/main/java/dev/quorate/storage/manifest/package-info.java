/**
 * Which files make up the store: a log of {@link dev.quorate.storage.manifest.VersionEdit edits},
 * each of which leads from one {@link dev.quorate.storage.manifest.Version} to the next, all or
 * nothing. The bytes are drawn in {@code docs/formats/manifest.md}. Allowed imports: the JDK, the
 * public face, {@code storage.format}, {@code storage.io}, and {@code TableMetadata}.
 */
@NullMarked
package dev.quorate.storage.manifest;

import org.jspecify.annotations.NullMarked;
