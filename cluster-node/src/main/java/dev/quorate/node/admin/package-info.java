/**
 * What an operator looks at: metrics, health, the ring page.
 *
 * <p>Reads figures that others count, and changes nothing, but that it can begin a repair. Allowed
 * imports: {@code api}'s pages and observer, {@code http}'s figures, {@code coordinator}'s, {@code
 * handoff}'s, {@code health}'s, {@code antientropy}'s and {@code membership}'s figures, {@code
 * inquiry}'s reports and what of {@code message} they are made of, {@code router}, {@code
 * storage}'s figures, the Prometheus library (whose only user this package is).
 */
@NullMarked
package dev.quorate.node.admin;

import org.jspecify.annotations.NullMarked;
