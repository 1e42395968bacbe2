package dev.quorate.storage;

/** How the data blocks of new tables are stored. Existing blocks of either kind remain readable. */
public enum Compression {
    NONE,
    /** With LZ4, where that makes a block at least an eighth smaller. */
    LZ4
}
