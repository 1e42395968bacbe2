/**
 * The node's options, and the origin of each value.
 *
 * <p>{@code NodeOption} declares each once; {@code Settings} finds their texts (flag, environment,
 * file); {@code NodeOptions} is the result. Allowed imports: the JDK, {@code runtime}'s units,
 * {@code router.topology}, {@code storage}'s options.
 */
@NullMarked
package dev.quorate.node.config;

import org.jspecify.annotations.NullMarked;
