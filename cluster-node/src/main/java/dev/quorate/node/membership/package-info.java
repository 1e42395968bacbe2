/**
 * Decides whether a member votes, and rebuilds one that began with an empty directory.
 *
 * <p>Allowed imports: {@code replica}, {@code message}, {@code clock}, {@code runtime}, {@code
 * router}, and {@code storage} with its {@code io} and {@code format}, for the data directory.
 */
@NullMarked
package dev.quorate.node.membership;

import org.jspecify.annotations.NullMarked;
