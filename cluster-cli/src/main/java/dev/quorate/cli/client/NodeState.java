package dev.quorate.cli.client;

import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.PrintableWriter;
import dev.quorate.node.json.JsonWriter;
import java.io.IOException;
import java.util.List;

/**
 * Whether a node is ready.
 *
 * @param reasons why not
 */
record NodeState(String url, State state, List<String> reasons) {

    private static final int UNAVAILABLE = 503;
    private static final int JSON_BYTES = 128;

    enum State {
        READY("ready"),
        NOT_READY("not ready"),
        NOT_REACHED("not reached");

        private final String label;

        State(String label) {
            this.label = label;
        }
    }

    NodeState {
        reasons = List.copyOf(reasons);
    }

    /** Asks a node. */
    static NodeState of(Node node, int timeoutMillis) {
        try {
            Node.Answer answer = node.ask("GET", "/readyz", timeoutMillis);
            if (answer.status() == 200) {
                return new NodeState(node.url(), State.READY, List.of());
            }
            List<String> failed = answer.failedChecks();
            return new NodeState(
                    node.url(),
                    answer.status() == UNAVAILABLE ? State.NOT_READY : State.NOT_REACHED,
                    failed.isEmpty() ? List.of(answer.statusLine()) : failed);
        } catch (IOException e) {
            return new NodeState(node.url(), State.NOT_REACHED, List.of(Node.reason(e)));
        }
    }

    boolean isReady() {
        return state == State.READY;
    }

    String text() {
        String why = reasons.isEmpty() ? "" : ": " + String.join("; ", reasons);
        return PrintableWriter.printable(url + "  " + state.label + why);
    }

    String json() {
        return new JsonWriter(JSON_BYTES)
                .beginObject()
                .field("url", url)
                .field("state", state.label)
                .field("reasons", reasons)
                .endObject()
                .toString();
    }
}
