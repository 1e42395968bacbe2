package dev.quorate.loadtest.openloop;

/** What a connection asks for. Overwritten by its next request. */
final class Asked {

    /** The number of the key; without meaning where a request has none. */
    int key;

    boolean isPut;
}
