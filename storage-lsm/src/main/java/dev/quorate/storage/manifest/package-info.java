/**
 * The live files of the store: a log of {@link dev.quorate.storage.manifest.VersionEdit edits},
 * each an atomic change from one {@link dev.quorate.storage.manifest.StoreVersion version} to the
 * next. The layout is drawn in {@code docs/formats/manifest.md}.
 */
package dev.quorate.storage.manifest;
