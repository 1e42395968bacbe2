package dev.quorate.router.offenders;

import dev.quorate.storage.Entry;

/** Breaks a rule on purpose. */
public interface SeesStorage {
    Entry entry();
}
