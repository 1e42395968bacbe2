package dev.quorate.loadtest.bench;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.NodeClient;
import java.io.IOException;
import java.net.http.HttpResponse;

/** Sends requests to a node beside the load, one at a time. */
@FunctionalInterface
public interface Probe {

    int PAUSE_MILLIS = 300;

    /** An answer. */
    @SuppressWarnings("ArrayRecordComponent") // read at once, and never compared as a whole
    record Answer(int status, byte[] body) {}

    /** A probe that sends its requests by a client. */
    static Probe of(NodeClient client) {
        return new Probe() {
            @Override
            public Answer get(String url) throws CommandException {
                try {
                    HttpResponse<byte[]> response = client.get(url);
                    return new Answer(response.statusCode(), response.body());
                } catch (IOException e) {
                    throw new CommandException(url + " was not answered: " + e, e);
                }
            }

            @Override
            public void pause() throws CommandException {
                try {
                    Thread.sleep(PAUSE_MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new CommandException("interrupted", e);
                }
            }
        };
    }

    /**
     * Sends a GET.
     *
     * @throws CommandException if there is no answer
     */
    Answer get(String url) throws CommandException;

    /** Waits for longer than a large write that has waited for memory takes. */
    default void pause() throws CommandException {}
}
