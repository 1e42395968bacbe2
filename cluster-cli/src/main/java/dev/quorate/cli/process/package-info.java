/**
 * Programs and temporary clusters as processes, for the load tests and the tests of whole clusters.
 */
@NullMarked
package dev.quorate.cli.process;

import org.jspecify.annotations.NullMarked;
