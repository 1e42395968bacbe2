package dev.quorate.cli.client;

import dev.quorate.node.runtime.Ticker;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Reads and writes entities through the first of several nodes that can. */
public final class EntityClient {

    private static final int NOT_FOUND = 404;
    private static final byte[] NOTHING = {};

    /** Does something with an answer, while its connection is open. */
    @FunctionalInterface
    interface Use {
        void take(Answer answer) throws IOException, CommandFailure;
    }

    private final List<Node> nodes;
    private final int timeoutMillis;
    private final Ticker ticker;
    private final RandomGenerator random;

    /**
     * Of these nodes, in this order.
     *
     * @param timeoutMillis without a byte of an answer
     */
    EntityClient(List<Node> nodes, int timeoutMillis, Ticker ticker, RandomGenerator random) {
        this.nodes = List.copyOf(nodes);
        this.timeoutMillis = timeoutMillis;
        this.ticker = ticker;
        this.random = random;
    }

    /**
     * Reads from the first node that answers with a status below 500.
     *
     * @param use is called once, with that answer
     */
    void read(String method, String target, List<String> headers, Use use) throws CommandFailure {
        List<String> problems = new ArrayList<>();
        for (Node node : nodes) {
            boolean taken = false;
            try (NodeConnection connection = NodeConnection.open(node, timeoutMillis)) {
                Answer answer = connection.send(method, target, headers, NOTHING);
                if (answer.status() < 500) {
                    taken = true;
                    use.take(answer);
                    return;
                }
                problems.add(node.url() + " answers " + answer.problem());
            } catch (IOException e) {
                String problem = node.url() + " cannot be asked: " + reason(e) + ".";
                if (taken) {
                    // A part of it may have been printed.
                    throw new CommandFailure(ExitCode.UNAVAILABLE, problem);
                }
                problems.add(problem);
            }
        }
        throw new CommandFailure(
                ExitCode.UNAVAILABLE, String.join(System.lineSeparator(), problems));
    }

    /**
     * Writes, and returns the version of what is stored.
     *
     * @param version of an attempt before this command; null if there was none
     */
    @Nullable String write(
            String method, String target, String readTarget, byte[] body, @Nullable String version)
            throws CommandFailure {
        WriteAttempts attempts =
                new WriteAttempts(
                        nodes,
                        version != null || nodes.size() == 1 ? version : newVersion(readTarget));
        WriteAttempts.Step step = attempts.begin();
        while (true) {
            switch (step) {
                case WriteAttempts.Step.Send send ->
                        step = send(attempts, send, method, target, body);
                case WriteAttempts.Step.Stored stored -> {
                    return stored.version();
                }
                case WriteAttempts.Step.Refused refused ->
                        throw new CommandFailure(ExitCode.REFUSED, refused.problem());
                case WriteAttempts.Step.Unavailable unavailable ->
                        throw new CommandFailure(
                                ExitCode.UNAVAILABLE,
                                unavailable.problems()
                                        + System.lineSeparator()
                                        + "Nothing was stored.");
                case WriteAttempts.Step.Unknown unknown -> throw failure(unknown);
            }
        }
    }

    private static CommandFailure failure(WriteAttempts.Step.Unknown unknown) {
        String version = unknown.version();
        return new CommandFailure(
                ExitCode.UNKNOWN,
                unknown.problems()
                        + System.lineSeparator()
                        + "It is not known whether this was stored: "
                        + (version == null
                                ? "read the key before you write it again."
                                : "--write-version " + version + " sends the same write again."));
    }

    private WriteAttempts.Step send(
            WriteAttempts attempts,
            WriteAttempts.Step.Send send,
            String method,
            String target,
            byte[] body) {
        Node node = send.node();
        String version = send.version();
        List<String> headers =
                version == null ? List.of() : List.of("X-Quorate-Version: " + version);
        NodeConnection opened;
        try {
            opened = NodeConnection.open(node, timeoutMillis);
        } catch (IOException e) {
            return attempts.notReached(node, reason(e));
        }
        try (NodeConnection connection = opened) {
            Answer answer = connection.send(method, target, headers, body);
            boolean isStored = answer.status() >= 200 && answer.status() < 300;
            return attempts.answered(
                    node, answer.status(), answer.version(), isStored ? "" : answer.problem());
        } catch (IOException e) {
            return attempts.notAnswered(node, reason(e));
        }
    }

    /**
     * A version for a write that may have to be sent to several nodes: newer than what is stored
     * now, as a node would give it. What is written in between is neither before nor after this
     * write, which has begun.
     */
    private String newVersion(String readTarget) throws CommandFailure {
        long[] hybrid = {Timestamp.of(ticker.wallMillis(), 0, 0).hybrid()};
        read(
                "HEAD",
                readTarget,
                List.of(),
                answer -> {
                    String stored = answer.version();
                    boolean isRead = answer.status() == 200 || answer.status() == NOT_FOUND;
                    if (!isRead) {
                        throw refusal(readTarget, answer.statusLine());
                    }
                    if (stored != null) {
                        hybrid[0] = Math.max(hybrid[0], parsed(stored).madeAt() + 1);
                    }
                });
        return new Timestamp(hybrid[0], random.nextInt()).toString();
    }

    /** The answer to a HEAD has no text, so that the same is asked for by a GET. */
    private CommandFailure refusal(String readTarget, String statusLine) throws CommandFailure {
        String[] problem = {statusLine};
        read("GET", readTarget, List.of(), answer -> problem[0] = answer.problem());
        return new CommandFailure(ExitCode.REFUSED, problem[0]);
    }

    private static Timestamp parsed(String version) throws IOException {
        try {
            return Timestamp.parse(version);
        } catch (IllegalArgumentException e) {
            throw new IOException("it answers with the version '" + version + "'", e);
        }
    }

    public static String reason(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
