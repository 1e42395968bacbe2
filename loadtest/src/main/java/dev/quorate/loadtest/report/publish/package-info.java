/** A load report as files: Markdown, and the same text with plots as one page of HTML. */
@NullMarked
package dev.quorate.loadtest.report.publish;

import org.jspecify.annotations.NullMarked;
