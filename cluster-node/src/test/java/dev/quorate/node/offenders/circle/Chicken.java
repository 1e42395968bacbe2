package dev.quorate.node.offenders.circle;

import dev.quorate.node.offenders.line.Egg;

/** Needs an egg. */
public interface Chicken {
    Egg egg();
}
