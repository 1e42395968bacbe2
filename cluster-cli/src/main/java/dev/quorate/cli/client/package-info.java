/**
 * The commands of a client: {@code get}, {@code put}, {@code delete}, {@code scan}, {@code status},
 * {@code export} and {@code import}, which go to any of several nodes.
 *
 * <p>{@link dev.quorate.cli.client.WriteAttempts} decides where a write goes next, and under which
 * version. Allowed imports: the JDK, {@code cli.local}, {@code node.runtime}, the percent-encoding
 * of {@code node.http}, {@code storage.Timestamp}, picocli.
 */
@NullMarked
package dev.quorate.cli.client;

import org.jspecify.annotations.NullMarked;
