/**
 * A load report as files: Markdown, and the same text with plots as one page of HTML.
 *
 * <p>Allowed imports: the JDK, commonmark, {@code loadtest.load}, {@code loadtest.report}, {@code
 * loadtest.profile} ({@code ProfileKind}), {@code harness}.
 */
@NullMarked
package dev.quorate.loadtest.report.publish;

import org.jspecify.annotations.NullMarked;
