package dev.quorate.router.replica;

/** What a replica knows of the value that it has accepted last for a key. */
public enum RecordNote {
    /** The entry has superseded it, and that is noted durably; or there is none. */
    DECIDED,
    /** It may become the next entry. */
    UNDECIDED,
    /** Nothing was noted: a disk that is busy or broken, or a damaged record. */
    FAILED
}
