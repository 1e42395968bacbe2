/**
 * SVG as text: elements, their attributes, and text that cannot become markup.
 *
 * <p>Allowed imports: the JDK.
 */
@NullMarked
package dev.quorate.loadtest.report.svg;

import org.jspecify.annotations.NullMarked;
