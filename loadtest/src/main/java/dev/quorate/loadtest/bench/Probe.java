package dev.quorate.loadtest.bench;

import dev.quorate.harness.CommandException;

/** Asks a node beside the load, one request at a time. */
@FunctionalInterface
public interface Probe {

    /** An answer. */
    @SuppressWarnings("ArrayRecordComponent") // looked at once, and never compared as a whole
    record Answer(int status, byte[] body) {}

    /**
     * Sends a GET.
     *
     * @throws CommandException if there is no answer
     */
    Answer get(String url) throws CommandException;
}
