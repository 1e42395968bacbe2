package dev.quorate.loadtest.report.flame;

/** A part of the system in which something is done. */
public enum Part {
    SOCKETS("sockets", "calls into the kernel for connections, and waiting for them"),
    HTTP_EDGE("HTTP edge", "requests parsed and answered for clients"),
    RING("ring", "which nodes own a key"),
    COORDINATOR("coordinator", "operations, quorums and replicas"),
    TRANSPORT("transport", "messages to peers and from them, the HTTP client"),
    BACKGROUND("background", "repair, hints, membership"),
    LOG("log", "the write-ahead log and its fsync"),
    MEMTABLE("memtable", "entries in memory"),
    TABLES("tables", "entries on disk, flushes, compaction"),
    STORE("store", "the rest of the storage engine"),
    NODE("node", "the rest of Quorate"),
    COLLECTOR("collector", "garbage collection, and slow allocations"),
    COMPILER("compiler", "of the JVM, while the node runs"),
    JVM("JVM", "the rest of the Java machine"),
    OTHER("other", "all that is in none of these");

    private final String label;
    private final String explanation;

    Part(String label, String explanation) {
        this.label = label;
        this.explanation = explanation;
    }

    /** What a reader calls it. */
    public String label() {
        return label;
    }

    /** What is done there. */
    public String explanation() {
        return explanation;
    }
}
