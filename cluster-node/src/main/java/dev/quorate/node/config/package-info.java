/**
 * The node's options, and the origin of each value.
 *
 * <p>{@code NodeOption} declares each once; {@code Settings} finds their texts (flag, environment,
 * file); {@code NodeOptions} is the result.
 */
@NullMarked
package dev.quorate.node.config;

import org.jspecify.annotations.NullMarked;
