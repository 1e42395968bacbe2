package dev.quorate.router.offenders;

import dev.quorate.storage.io.DiskFiles;

/** Breaks a rule on purpose. */
public interface SeesStorage {
    DiskFiles files();
}
