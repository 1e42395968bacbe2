/**
 * An in-memory disk with injected faults, for tests and for simulations of whole clusters. It is
 * packaged as a separate jar (classifier {@code simulated}) that nodes do not include. Allowed
 * imports: the JDK, {@code storage.io}.
 *
 * <p>It is compiled with the main classes because other modules need it even when tests are
 * skipped, as in the first build of {@code ./quorate} and in the image; then no test jar exists.
 */
package dev.quorate.storage.simulated;
