package dev.quorate.node.offenders;

import one.nio.net.Session;

/** Breaks a rule on purpose. */
public interface UsesOneNio {
    Session session();
}
