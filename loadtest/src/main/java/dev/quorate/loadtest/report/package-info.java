/**
 * The contents of a load report: the loads, their results, where the time went, and what is
 * missing. Values alone; {@code report.publish} writes them.
 */
package dev.quorate.loadtest.report;
