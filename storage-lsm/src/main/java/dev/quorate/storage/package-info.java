/**
 * The public API of the store: a durable, sorted map of byte keys whose entries have timestamps.
 *
 * <p>A caller opens a {@link dev.quorate.storage.KeyValueStore}, writes {@link
 * dev.quorate.storage.Entry entries} and looks up keys. The packages below this one are the
 * implementation.
 */
package dev.quorate.storage;
