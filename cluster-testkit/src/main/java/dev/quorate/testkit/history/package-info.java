/**
 * What clients did and were told, and a judge of it. Knows nothing of nodes: a history may come
 * from a simulation, an embedded cluster or real processes. Uses only the JDK.
 */
@NullMarked
package dev.quorate.testkit.history;

import org.jspecify.annotations.NullMarked;
