/**
 * The commands of a client: {@code get}, {@code put}, {@code delete}, {@code scan}, {@code status},
 * {@code export} and {@code import}, which go to any of several nodes.
 *
 * <p>{@link dev.quorate.cli.client.WriteAttempts} decides where a write goes next, and under which
 * version.
 */
@NullMarked
package dev.quorate.cli.client;

import org.jspecify.annotations.NullMarked;
