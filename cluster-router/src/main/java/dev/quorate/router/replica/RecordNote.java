package dev.quorate.router.replica;

/** Whether the entry of a key has superseded the value that a replica accepted last. */
public enum RecordNote {
    /** The value is superseded, which is noted durably; or there is none. */
    DECIDED,
    /** The value may become the next entry. */
    UNDECIDED,
    /** Nothing was noted: the disk is busy or broken, or a record is damaged. */
    FAILED
}
