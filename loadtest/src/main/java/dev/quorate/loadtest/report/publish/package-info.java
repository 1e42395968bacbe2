/** A load report as files: Markdown, tables of percentiles, and flame graphs. */
@NullMarked
package dev.quorate.loadtest.report.publish;

import org.jspecify.annotations.NullMarked;
