/**
 * A report as text: JSON, from which everything else is made, Markdown, HTML, and the comparison of
 * two. {@code ReportFolder} alone writes files.
 *
 * <p>Allowed imports: the JDK, Gson (in {@code ReportJson}), commonmark (where HTML is made),
 * HdrHistogram, {@code loadtest.load} ({@code Spectrum}), {@code harness} ({@code
 * CommandException}), {@code loadtest.profile} ({@code ProfileKind}), {@code loadtest.report} and
 * the packages in it.
 */
@NullMarked
package dev.quorate.loadtest.report.publish;

import org.jspecify.annotations.NullMarked;
