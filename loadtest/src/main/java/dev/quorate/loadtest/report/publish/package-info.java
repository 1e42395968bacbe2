/** A load report as files: Markdown, tables of percentiles, and flame graphs. */
package dev.quorate.loadtest.report.publish;
