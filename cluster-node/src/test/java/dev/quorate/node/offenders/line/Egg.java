package dev.quorate.node.offenders.line;

import dev.quorate.node.offenders.circle.Chicken;

/** Needs a chicken. */
public interface Egg {
    Chicken chicken();
}
