package dev.quorate.storage;

/** How the data blocks of new tables are stored. Blocks of every kind can always be read. */
public enum Compression {
    /** As they are. */
    NONE,
    /** With LZ4, where that makes a block at least an eighth smaller. */
    LZ4
}
