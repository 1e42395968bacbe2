/**
 * What the requests of clients mean: entities, ranges, batches, conditions and explanations, the
 * texts of refusals, and the routes to the operator's pages. {@link dev.quorate.node.api.ClientApi}
 * checks a request before any work, executes it through the coordinator, and turns the outcome into
 * an answer.
 *
 * <p>Allowed imports: {@code http}, {@code access}, {@code coordinator}, of {@code conditional} the
 * conditions, of {@code message} the reasons of failures, {@code runtime}, {@code router}, and of
 * {@code storage} what an entry is.
 */
@NullMarked
package dev.quorate.node.api;

import org.jspecify.annotations.NullMarked;
