/**
 * The client API: entities, ranges, batches, conditions and explanations, the texts of refusals,
 * and the routes to the operator's pages. {@link dev.quorate.node.api.ClientApi} checks a request
 * before any work, executes it through the coordinator, and turns the outcome into an answer.
 */
package dev.quorate.node.api;
