/**
 * The embedded cluster {@code QuorateCluster}: production nodes on real sockets and real
 * directories, with injected faults. Also the command line of {@code ./quorate sim}.
 */
@NullMarked
package dev.quorate.testkit;

import org.jspecify.annotations.NullMarked;
