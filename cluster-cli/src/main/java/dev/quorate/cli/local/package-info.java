/**
 * A cluster of processes on this machine, for {@code ./quorate up} and its companions: starts them,
 * watches them, and stops them.
 *
 * <p>All state of a cluster is in files, so that each command is a process of its own. Allowed
 * imports: the JDK, {@code node.runtime}, the percent-encoding of {@code node.http}, picocli.
 */
@NullMarked
package dev.quorate.cli.local;

import org.jspecify.annotations.NullMarked;
