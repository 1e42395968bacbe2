/**
 * The node's options, and the origin of each value.
 *
 * <p>{@code NodeOption} declares each once; {@code Settings} finds their texts (flag, environment,
 * file); {@code NodeOptions} is the result.
 */
package dev.quorate.node.config;
