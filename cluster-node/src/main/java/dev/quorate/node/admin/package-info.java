/**
 * The pages for operators: metrics, health, the ring, events.
 *
 * <p>Reads the figures of other packages, and can begin a repair and have checkpoints made; changes
 * nothing else. Allowed imports: {@code access}'s shares, {@code api}'s pages and observer, {@code
 * checkpoint}, {@code http}'s figures, {@code coordinator}'s, {@code handoff}'s, {@code health}'s,
 * {@code antientropy}'s and {@code membership}'s figures, {@code events}, {@code inquiry}'s reports
 * and what of {@code message} they are made of, {@code runtime}'s counts, {@code router}, {@code
 * storage}'s figures, the Prometheus library (whose only user this package is).
 */
@NullMarked
package dev.quorate.node.admin;

import org.jspecify.annotations.NullMarked;
