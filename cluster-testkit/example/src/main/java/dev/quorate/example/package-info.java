/**
 * A small program that keeps its data in a cluster, so that its tests have something to test. Knows
 * nothing of Quorate but its HTTP.
 */
@NullMarked
package dev.quorate.example;

import org.jspecify.annotations.NullMarked;
