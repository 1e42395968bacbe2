/**
 * A cluster of processes on this machine, for {@code ./quorate up} and related commands: starts,
 * watches and stops nodes.
 *
 * <p>All state of a cluster is in files, so that each command is a separate process. Allowed
 * imports: the JDK, {@code router.runtime}, {@code node.http}, {@code node.tls}, picocli.
 */
package dev.quorate.cli.local;
