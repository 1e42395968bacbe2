/**
 * An open-loop load generator: it sends when a request is due, and counts from then, whether the
 * cluster keeps up or not.
 *
 * <p>Beyond what wrk2 does, it reports latency over time, counts every answer by status, and
 * compares bodies. Since it shares the processors with the cluster, it makes no objects for a
 * request, and takes one system call to write it and one to read its answer.
 */
@NullMarked
package dev.quorate.loadtest.openloop;

import org.jspecify.annotations.NullMarked;
