package dev.quorate.loadtest.conditional;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.conditional.ConditionalPlan.Case;
import dev.quorate.loadtest.conditional.ConditionalPlan.Kind;
import dev.quorate.loadtest.conditional.StoreConnection.Held;
import dev.quorate.loadtest.conditional.StoreConnection.Written;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clients of a case, a thread for each.
 *
 * <p>A client that was refused with 412 waits a random time before it tries again, up to a bound
 * that doubles from one millisecond to 64.
 */
final class Clients {

    private static final int FIRST_PAUSE_MILLIS = 1;
    private static final int LONGEST_PAUSE_MILLIS = 64;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String KEYS = "bench-conditional-";
    private static final String NUMBER = KEYS + "number";

    /** How a client connects. */
    @FunctionalInterface
    interface Connections {

        /**
         * Connects a client.
         *
         * @param client its number
         */
        StoreConnection open(int client) throws IOException;
    }

    private final Connections connections;
    private final Case each;
    private final String value;
    private final LongSupplier nanos;

    /**
     * Clients of a case.
     *
     * @param connections to the store
     * @param nanos the time
     */
    Clients(Connections connections, Case each, int valueBytes, LongSupplier nanos) {
        this.connections = connections;
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
        try (StoreConnection connection = connections.open(0)) {
            return number(connection.read(NUMBER));
        } catch (IOException e) {
            throw new CommandException("The number cannot be read: " + e, e);
        }
    }

    private static long number(Held held) {
        return held.value().isEmpty() ? 0 : Long.parseLong(held.value());
    }

    private void work(int number, long deadline, Tally tally) throws Exception {
        try (StoreConnection connection = connections.open(number)) {
            String key = KEYS + number;
            String version =
                    each.kind() == Kind.CONDITIONAL_PUT ? connection.read(key).version() : "";
            while (nanos.getAsLong() - deadline < 0) {
                long begun = nanos.getAsLong();
                Written written =
                        switch (each.kind()) {
                            case PUT, LINEARIZABLE_PUT -> connection.put(key, value);
                            case CONDITIONAL_PUT -> connection.putIf(key, version, value);
                            case INCREMENT -> increment(connection);
                        };
                if (written.version() == null) {
                    throw new RefusedFigureException("a write of a key of one's own was refused");
                }
                tally.add(nanos.getAsLong() - begun, written.requests());
                version = written.version();
            }
        }
    }

    private static Written increment(StoreConnection connection) throws Exception {
        long requests = 0;
        int pauseMillis = FIRST_PAUSE_MILLIS;
        while (true) {
            Held now = connection.read(NUMBER);
            Written written = connection.putIf(NUMBER, now.version(), "" + (number(now) + 1));
            requests += written.requests();
            if (written.version() != null) {
                return new Written(written.version(), requests);
            }
            Pauses.upTo(pauseMillis);
            pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
        }
    }
}
