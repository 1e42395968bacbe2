package dev.quorate.loadtest.late;

import dev.quorate.loadtest.load.Span;

/**
 * Something that can make requests late.
 *
 * @param place the node, or where else
 */
public record Happening(Cause cause, Span when, String place) {}
