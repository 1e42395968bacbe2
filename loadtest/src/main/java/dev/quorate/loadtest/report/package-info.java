/**
 * What has been measured, as a table for people and as JSON for programs.
 *
 * <p>Allowed imports: the JDK.
 */
@NullMarked
package dev.quorate.loadtest.report;

import org.jspecify.annotations.NullMarked;
