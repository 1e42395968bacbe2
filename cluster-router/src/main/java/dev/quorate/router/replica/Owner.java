package dev.quorate.router.replica;

import dev.quorate.router.topology.Member;

/** A member that owns a key. */
public interface Owner {

    Member member();

    default String name() {
        return member().name();
    }
}
