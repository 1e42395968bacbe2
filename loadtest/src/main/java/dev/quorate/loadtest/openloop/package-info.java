/**
 * An open-loop load generator: it sends requests at their due times, independently of the answers,
 * and measures latencies from the due times.
 *
 * <p>Unlike wrk2, it reports latency over time, counts answers by status, and compares bodies. It
 * shares the processors with the cluster, so it allocates no objects for a request, and uses one
 * system call to write a request and one to read its answer.
 */
package dev.quorate.loadtest.openloop;
