package dev.quorate.storage.offenders;

import dev.quorate.router.topology.Member;

/** Breaks a rule on purpose. */
public interface SeesRouter {
    Member member();
}
