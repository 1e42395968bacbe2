/**
 * The pages of the documentation, as what tests run: {@code Pages} finds them, {@code Page} has the
 * fenced blocks of one and what stands beside each, {@code PageShell} runs their commands, and
 * {@code CommandWords} are the {@code ./quorate} commands that a page names anywhere. The rules
 * that pages follow are in {@code docs/testing.md}. Allowed imports: the JDK and the harness.
 */
@NullMarked
package dev.quorate.testkit.page;

import org.jspecify.annotations.NullMarked;
