/**
 * Programs and temporary clusters as processes, for the load tests and the tests of whole clusters.
 * Allowed imports: the JDK, {@code cli.local}.
 */
@NullMarked
package dev.quorate.cli.process;

import org.jspecify.annotations.NullMarked;
