/**
 * {@code ./quorate bench engine}: compares the store of a node with RocksDB on this machine, in one
 * run and on the same data.
 *
 * <p>{@link dev.quorate.loadtest.engine.EngineBenchmark} starts a Java process for each {@link
 * dev.quorate.loadtest.engine.Trial}, which measures one {@link
 * dev.quorate.loadtest.engine.Engine}.
 */
package dev.quorate.loadtest.engine;
