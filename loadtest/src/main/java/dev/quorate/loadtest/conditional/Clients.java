package dev.quorate.loadtest.conditional;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.conditional.ConditionalPlan.Case;
import dev.quorate.loadtest.conditional.ConditionalPlan.Kind;
import dev.quorate.loadtest.conditional.EntityConnection.Answer;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clients of a case, a thread for each.
 *
 * <p>A client that was refused with 412 waits a random time before it tries again, up to a bound
 * that doubles from one millisecond to 64. An undecided write is sent again until it is decided.
 */
final class Clients {

    private static final int FIRST_PAUSE_MILLIS = 1;
    private static final int LONGEST_PAUSE_MILLIS = 64;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String QUERY = "replicas=2/3&id=bench-conditional-";
    private static final String NUMBER = QUERY + "number";
    private static final String IF_ABSENT = "If-None-Match: *\r\n";

    private final List<URI> nodes;
    private final Case each;
    private final String value;
    private final LongSupplier nanos;

    /**
     * Clients of a case.
     *
     * @param nodes all of them
     * @param nanos the time
     */
    Clients(List<URI> nodes, Case each, int valueBytes, LongSupplier nanos) {
        this.nodes = nodes;
        this.each = each;
        this.value = "v".repeat(valueBytes);
        this.nanos = nanos;
    }

    /**
     * Runs them.
     *
     * @throws RefusedFigureException if an answer was not the right one
     * @throws CommandException if a node did not answer
     */
    Tally.Turn run(int seconds) throws RefusedFigureException, CommandException {
        long before = each.kind() == Kind.INCREMENT ? number() : 0;
        Tally tally = new Tally();
        long begun = nanos.getAsLong();
        long deadline = begun + TimeUnit.SECONDS.toNanos(seconds);
        List<Future<?>> ends = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(each.clients())) {
            for (int i = 0; i < each.clients(); i++) {
                int number = i;
                ends.add(
                        threads.submit(
                                () -> {
                                    work(number, deadline, tally);
                                    return null;
                                }));
            }
        }
        Tally.Turn turn = tally.turn((nanos.getAsLong() - begun) / NANOS_PER_SECOND);
        for (Future<?> end : ends) {
            await(end);
        }
        if (each.kind() == Kind.INCREMENT && number() - before != turn.done()) {
            throw new RefusedFigureException(
                    "%d increments succeeded, and the number grew by %d"
                            .formatted(turn.done(), number() - before));
        }
        return turn;
    }

    private static void await(Future<?> end) throws RefusedFigureException, CommandException {
        try {
            end.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RefusedFigureException refused) {
                throw refused;
            }
            throw new CommandException("A client failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        }
    }

    private long number() throws RefusedFigureException, CommandException {
        try (EntityConnection connection = new EntityConnection(nodes.getFirst())) {
            Answer answer = connection.send("GET", NUMBER, "", "");
            return switch (answer.status()) {
                case 200 -> Long.parseLong(answer.body());
                case 404 -> 0;
                default -> throw wrong("a read", answer);
            };
        } catch (IOException e) {
            throw new CommandException("The number cannot be read: " + e, e);
        }
    }

    private static RefusedFigureException wrong(String what, Answer answer) {
        return new RefusedFigureException(
                "%s was answered with %d %s".formatted(what, answer.status(), answer.body()));
    }

    private void work(int number, long deadline, Tally tally) throws Exception {
        try (EntityConnection connection = new EntityConnection(nodes.get(number % each.nodes()))) {
            String query = QUERY + number + each.kind().parameters();
            String condition =
                    each.kind() == Kind.CONDITIONAL_PUT ? current(connection, query) : "";
            while (nanos.getAsLong() - deadline < 0) {
                long begun = nanos.getAsLong();
                Written written =
                        each.kind() == Kind.INCREMENT
                                ? increment(connection)
                                : write(connection, query, condition, value);
                if (written.answer().status() != 201) {
                    throw wrong("a write", written.answer());
                }
                tally.add(nanos.getAsLong() - begun, written.attempts());
                if (each.kind() == Kind.CONDITIONAL_PUT) {
                    condition = ifMatch(written.answer().tag());
                }
            }
        }
    }

    private static String ifMatch(String tag) {
        return "If-Match: " + tag + "\r\n";
    }

    /** The condition that nothing has changed. */
    private static String current(EntityConnection connection, String query)
            throws IOException, RefusedFigureException {
        Answer answer = connection.send("GET", query, "", "");
        return switch (answer.status()) {
            case 200 -> ifMatch(answer.tag());
            case 404 -> IF_ABSENT;
            default -> throw wrong("a read", answer);
        };
    }

    /** How a write ended, after so many requests. */
    private record Written(Answer answer, long attempts) {}

    private Written increment(EntityConnection connection) throws Exception {
        long attempts = 0;
        int pauseMillis = FIRST_PAUSE_MILLIS;
        while (true) {
            Answer now = connection.send("GET", NUMBER, "", "");
            Written written =
                    switch (now.status()) {
                        case 200 ->
                                write(
                                        connection,
                                        NUMBER,
                                        ifMatch(now.tag()),
                                        "" + (Long.parseLong(now.body()) + 1));
                        case 404 -> write(connection, NUMBER, IF_ABSENT, "1");
                        default -> throw wrong("a read", now);
                    };
            attempts += written.attempts();
            if (written.answer().status() != 412) {
                return new Written(written.answer(), attempts);
            }
            pause(pauseMillis);
            pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
        }
    }

    /** Sends a write until it is decided; a plain one once. */
    private static Written write(
            EntityConnection connection, String query, String condition, String body)
            throws Exception {
        String version = "";
        for (long attempts = 1; ; attempts++) {
            Answer answer = connection.send("PUT", query, condition + version, body);
            boolean isDecided =
                    condition.isEmpty() || (answer.status() != 503 && answer.status() != 504);
            if (isDecided) {
                return new Written(answer, attempts);
            }
            if (version.isEmpty() && !answer.version().isEmpty()) {
                version = "X-Quorate-Version: " + answer.version() + "\r\n";
            }
            pause(LONGEST_PAUSE_MILLIS);
        }
    }

    private static void pause(int mostMillis) throws InterruptedException {
        long micros = ThreadLocalRandom.current().nextLong(1_000L * mostMillis);
        TimeUnit.MICROSECONDS.sleep(micros);
    }
}
