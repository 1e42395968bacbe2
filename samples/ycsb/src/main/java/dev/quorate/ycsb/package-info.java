/**
 * The binding through which YCSB, the Yahoo! Cloud Serving Benchmark, asks a cluster.
 *
 * <p>Allowed imports: the JDK, YCSB, and the JSON parser that YCSB brings.
 */
@NullMarked
package dev.quorate.ycsb;

import org.jspecify.annotations.NullMarked;
