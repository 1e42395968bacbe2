/**
 * Locks, leaders, counters, queues and rate limits, on conditional writes and waits of {@code
 * dev.quorate.client}. Each class is a recipe of about a page, to be used or to be copied. {@code
 * docs/recipes.md} says what each does not promise.
 */
@NullMarked
package dev.quorate.recipes;

import org.jspecify.annotations.NullMarked;
