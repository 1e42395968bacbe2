/**
 * The node's options: their names, meaning, defaults and limits, and the origin of each value.
 *
 * <p>{@code ConfigTable} lists every key once; {@code Settings} finds their texts (flag,
 * environment, file); {@code NodeOptions} is the result. Allowed imports: the JDK, {@code
 * router.topology}, {@code storage}'s options.
 */
@NullMarked
package dev.quorate.node.config;

import org.jspecify.annotations.NullMarked;
