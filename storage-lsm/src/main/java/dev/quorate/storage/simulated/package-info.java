/**
 * A disk in memory that fails as it is told: for tests, and for simulations of whole clusters. It
 * is packaged as a jar of its own (classifier {@code simulated}), which no node has, so that no
 * other code can use it. Uses {@code io} alone.
 *
 * <p>It is compiled with the main classes since the tests of the engine need it, and a test jar
 * does not exist where tests are skipped, as in the first build of {@code ./quorate} and in the
 * image.
 */
@NullMarked
package dev.quorate.storage.simulated;

import org.jspecify.annotations.NullMarked;
