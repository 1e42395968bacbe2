/**
 * The public face of the store: a durable, sorted map of byte keys whose entries carry timestamps.
 *
 * <p>A caller opens a {@link dev.quorate.storage.KeyValueStore}, writes {@link
 * dev.quorate.storage.Entry entries} and looks keys up. Everything below this package is how it is
 * done and is free to change. Allowed imports: the JDK.
 */
@NullMarked
package dev.quorate.storage;

import org.jspecify.annotations.NullMarked;
