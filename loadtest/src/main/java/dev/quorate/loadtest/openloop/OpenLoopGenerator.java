package dev.quorate.loadtest.openloop;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Spectrum;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Sends a load as wrk2 does, with threads of this process, and reports more figures.
 *
 * <p>At a fixed rate, each connection has its own schedule ({@link Schedule}) and sends at the
 * ticks of a clock of one millisecond ({@link Schedule#tickAt}). The latency of a late request
 * counts from its due time. Differences from wrk2: a connection behind its schedule sends as soon
 * as it is answered, and not at twice its rate; the due times of the connections are spread evenly;
 * and the generator waits for requests that were due before the end.
 */
public final class OpenLoopGenerator implements LoadGenerator {

    /** The time between the opening of the connections and the first due request. */
    private static final long HEAD_START_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Additional wait beyond the timeouts of the threads. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int DIGITS = 3;
    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoClock;
    private final LongSupplier wallNanos;
    private final Duration firstAnswerLimit;

    public OpenLoopGenerator() {
        this(
                System::nanoTime,
                () -> ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now()),
                Duration.ofSeconds(10));
    }

    /**
     * @param wallNanos the time since 1970, for reported times
     * @param firstAnswerLimit the limit for the first answer of a server
     */
    OpenLoopGenerator(LongSupplier nanoClock, LongSupplier wallNanos, Duration firstAnswerLimit) {
        this.nanoClock = nanoClock;
        this.wallNanos = wallNanos;
        this.firstAnswerLimit = firstAnswerLimit;
    }

    @Override
    public LoadResult run(Load load) throws CommandException {
        URI uri = uri(load.url());
        int port = uri.getPort() < 0 ? 80 : uri.getPort();
        InetSocketAddress address = new InetSocketAddress(uri.getHost(), port);
        if (address.isUnresolved()) {
            throw new CommandException("No machine is called " + uri.getHost() + ".");
        }
        List<Worker.Share> shares = open(load, address);
        try {
            return new Run(load, address, uri.getAuthority(), shares).measure();
        } finally {
            shares.forEach(Worker.Share::close);
        }
    }

    private static URI uri(String url) throws CommandException {
        try {
            URI uri = URI.create(url);
            if ("http".equals(uri.getScheme()) && uri.getHost() != null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw new CommandException("'" + url + "' is not of the form http://host:port.");
    }

    private static List<Worker.Share> open(Load load, InetSocketAddress address)
            throws CommandException {
        List<Worker.Share> shares = new ArrayList<>();
        try {
            for (int thread = 0; thread < load.clients().threads(); thread++) {
                shares.add(Worker.Share.open(load, address, thread));
            }
            return shares;
        } catch (IOException e) {
            shares.forEach(Worker.Share::close);
            throw new CommandException(
                    "%s does not take %d connections: %s."
                            .formatted(load.url(), load.clients().connections(), e.getMessage()),
                    e);
        }
    }

    private final class Run {

        private final Load load;
        private final List<Worker> workers = new ArrayList<>();

        /** Latencies of each second, in microseconds. */
        private final List<Histogram> seconds = new ArrayList<>();

        /** Latencies of all seconds, in microseconds. */
        private final Histogram total = new Histogram(DIGITS);

        private final long startNanos;

        /** The start, since 1970. */
        private final long startWallNanos;

        Run(Load load, InetSocketAddress address, String host, List<Worker.Share> shares) {
            this.load = load;
            this.startNanos = nanoClock.getAsLong() + HEAD_START_NANOS;
            this.startWallNanos = wallNanos.getAsLong() + HEAD_START_NANOS;
            for (Worker.Share share : shares) {
                workers.add(new Worker(load, address, host, share, this::nanosFromStart));
            }
        }

        private long nanosFromStart() {
            return nanoClock.getAsLong() - startNanos;
        }

        private long countFromNanos() {
            return load.timing().warmUpSeconds() * NANOS_PER_SECOND;
        }

        private long endNanos() {
            return countFromNanos() + load.timing().seconds() * NANOS_PER_SECOND;
        }

        LoadResult measure() throws CommandException {
            CompletableFuture<?>[] threads =
                    workers.stream()
                            .map(
                                    worker ->
                                            CompletableFuture.runAsync(
                                                    worker,
                                                    task ->
                                                            Thread.ofPlatform()
                                                                    .name("load")
                                                                    .daemon()
                                                                    .start(task)))
                            .toArray(CompletableFuture<?>[]::new);
            try {
                follow(CompletableFuture.allOf(threads));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CommandException("The load was interrupted.", e);
            } finally {
                workers.forEach(Worker::stop);
            }
            return result();
        }

        /** Collects the figures of each second until all threads have ended. */
        private void follow(CompletableFuture<Void> all)
                throws CommandException, InterruptedException {
            long taken = countFromNanos();
            long boundary = NANOS_PER_SECOND;
            while (!isDoneBy(all, boundary)) {
                long now = nanosFromStart();
                if (now < boundary) {
                    continue;
                }
                requireAnswers(now);
                if (now > endNanos() + Tally.PATIENCE_NANOS + GRACE_NANOS) {
                    throw new CommandException("The load does not end.");
                }
                // Answers after the end count in the last second.
                if (now > taken && boundary > countFromNanos() && boundary < endNanos()) {
                    take(taken, now);
                    taken = now;
                }
                boundary = (now / NANOS_PER_SECOND + 1) * NANOS_PER_SECOND;
            }
            take(taken, Math.max(taken, nanosFromStart()));
        }

        private boolean isDoneBy(CompletableFuture<Void> all, long nanos)
                throws CommandException, InterruptedException {
            try {
                all.get(Math.max(1, nanos - nanosFromStart()), TimeUnit.NANOSECONDS);
                return true;
            } catch (TimeoutException e) {
                return false;
            } catch (ExecutionException e) {
                throw new CommandException("The load broke off: " + e.getCause(), e);
            }
        }

        private void take(long fromNanos, long toNanos) {
            // Grows as needed, because a run of many minutes has many of them.
            Histogram second = new Histogram(DIGITS);
            tallies().forEach(tally -> second.add(tally.micros().getIntervalHistogram()));
            second.setStartTimeStamp(wallMillis(fromNanos));
            second.setEndTimeStamp(wallMillis(toNanos));
            seconds.add(second);
            total.add(second);
        }

        private long wallMillis(long nanos) {
            return TimeUnit.NANOSECONDS.toMillis(startWallNanos + nanos);
        }

        private Stream<Tally> tallies() {
            return workers.stream().map(Worker::tally);
        }

        private void requireAnswers(long now) throws CommandException {
            boolean hasAnswer = workers.stream().anyMatch(Worker::hasAnswer);
            if (!hasAnswer && now >= firstAnswerLimit.toNanos()) {
                throw nothing("answers nothing within " + firstAnswerLimit.toSeconds() + " s");
            }
        }

        private CommandException nothing(String what) {
            return new CommandException(load.url() + " " + what + ".");
        }

        private LoadResult result() throws CommandException {
            if (workers.stream().noneMatch(Worker::hasAnswer)) {
                String problem =
                        tallies()
                                .map(Tally::problem)
                                .filter(Objects::nonNull)
                                .findFirst()
                                .map(said -> ": " + said)
                                .orElse("");
                throw nothing("answers nothing" + problem);
            }
            long requests = total.getTotalCount();
            Map<Integer, Long> answers = new HashMap<>();
            tallies()
                    .map(Tally::answers)
                    .forEach(each -> each.forEach((k, v) -> answers.merge(k, v, Long::sum)));
            return new LoadResult(
                    requests,
                    requests / countedSeconds(),
                    new Spectrum(total),
                    LoadResult.Second.of(seconds),
                    tallies().mapToLong(Tally::socketErrors).sum(),
                    tallies().mapToLong(Tally::statusErrors).sum(),
                    answers,
                    tallies().mapToLong(Tally::wrongBodies).sum(),
                    workers.stream().allMatch(Worker::reachedLastKey));
        }

        /** The time from the start of the measurement to the last answer, or the end if later. */
        private double countedSeconds() {
            long last = tallies().mapToLong(Tally::lastAnswerNanos).max().orElse(0);
            boolean endedEarly = load.manner() == Load.Manner.EVERY_KEY;
            long end = endedEarly ? last : Math.max(last, endNanos());
            return Math.max(1, end - countFromNanos()) / (double) NANOS_PER_SECOND;
        }
    }
}
