package dev.quorate.testkit.check;

import dev.quorate.cli.local.Commands;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Timestamp;
import dev.quorate.testkit.check.CheckWorkload.ClientRequest;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.Recorder;
import dev.quorate.testkit.history.SeenValues;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a check. Each sends one request at a time to a randomly drawn node, within a
 * common rate limit, on a virtual thread of its own.
 */
final class Traffic {

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long RETRY_NANOS = 100 * NANOS_PER_MILLI;

    /** One request in this many may go to a node that did not answer last time. */
    private static final int ONE_ANYWHERE = 10;

    /** One conditional write in this many has a version in its first attempt. */
    private static final int ONE_WITH_VERSION = 4;

    /** A node as clients see it. */
    private static final class Target {
        private final URI url;
        private volatile boolean answered = true;

        Target(URI url) {
            this.url = url;
        }
    }

    private final HistoryClient requests;
    private final Recorder recorder;
    private final CheckWorkload workload;
    private final Ticker ticker;
    private volatile List<Target> targets;
    private final long nanosBetween;
    private volatile long began;
    private final AtomicLong nextNanos;
    private final OutcomeCounts tally = new OutcomeCounts();
    private final SeenValues seen = new SeenValues();
    private volatile boolean stopped;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    Traffic(
            HistoryClient requests,
            List<URI> nodes,
            Recorder recorder,
            CheckWorkload workload,
            int rate,
            Ticker ticker) {
        this.requests = requests;
        this.recorder = recorder;
        this.workload = workload;
        this.ticker = ticker;
        this.targets = nodes.stream().map(Target::new).toList();
        this.nanosBetween = NANOS_PER_SECOND / rate;
        this.began = ticker.nanos();
        this.nextNanos = new AtomicLong(began);
    }

    void start(int clients, SplittableRandom random) {
        began = ticker.nanos();
        nextNanos.set(began);
        for (int number = 0; number < clients; number++) {
            threads.execute(new Session(number, random.split())::run);
        }
    }

    /** Stops sending, and waits for outstanding requests. */
    void stop() {
        stopped = true;
        threads.close();
    }

    /** From now on clients use these nodes. */
    void use(List<URI> nodes) {
        targets = nodes.stream().map(Target::new).toList();
    }

    OutcomeCounts tally() {
        return tally;
    }

    long nanos() {
        return ticker.nanos() - began;
    }

    private Recorder.Call begin(int client, ClientRequest request) {
        QuorumSpec spec = request.spec();
        return recorder.begin(
                client, request.key(), request.action(), spec.ack(), spec.from(), nanos());
    }

    private RequestOutcome send(Target target, ClientRequest request) {
        RequestOutcome reply = requests.send(target.url, request).join();
        tally.add(reply);
        target.answered =
                reply.kind() != RequestOutcome.Kind.UNANSWERED
                        && reply.kind() != RequestOutcome.Kind.UNREACHED;
        return reply;
    }

    /** One client. */
    private final class Session {

        private final int number;
        private final SplittableRandom random;
        private int written;

        Session(int number, SplittableRandom random) {
            this.number = number;
            this.random = random;
        }

        void run() {
            awaitTurn();
            while (!stopped) {
                if (sendNext().kind() == RequestOutcome.Kind.UNREACHED) {
                    Commands.sleepNanos(RETRY_NANOS);
                }
                awaitTurn();
            }
        }

        /** Waits until the rate limit permits a request. */
        private void awaitTurn() {
            long now = ticker.nanos();
            long free = nextNanos.getAndUpdate(next -> Math.max(next, now) + nanosBetween);
            Commands.sleepNanos(free - now);
        }

        private RequestOutcome sendNext() {
            ClientRequest request =
                    workload.next(
                            random, nanos() / NANOS_PER_MILLI, "c" + number + "-" + written, seen);
            if (request.action() instanceof Action.Put) {
                written++;
            }
            if (request.isConditional() && random.nextInt(ONE_WITH_VERSION) == 0) {
                request = request.withVersion(newVersion());
            }
            Attempts attempts = new Attempts(request);
            Recorder.Call call = begin(number, request);
            RequestOutcome outcome = attempts.after(send(target(), request));
            while (outcome == null) {
                Commands.sleepNanos(1 + random.nextLong(2 * RETRY_NANOS));
                outcome = attempts.after(send(target(), attempts.request()));
            }
            call.end(outcome.answer(), nanos());
            seen.note(request.key(), request.action(), outcome.answer());
            return outcome;
        }

        /** A version of the current full second, so that it is not ahead of the nodes' clocks. */
        private String newVersion() {
            long second = ticker.wallMillis() / 1_000 * 1_000;
            return Timestamp.of(second, random.nextInt(1 << 16), random.nextInt()).toString();
        }

        private Target target() {
            List<Target> nodes = targets;
            Target target = nodes.get(random.nextInt(nodes.size()));
            for (int i = 0; i < 5 && !target.answered && random.nextInt(ONE_ANYWHERE) > 0; i++) {
                target = nodes.get(random.nextInt(nodes.size()));
            }
            return target;
        }
    }

    private record FinalRead(Target target, String key) {}

    /**
     * Reads every key through every node at a majority, with retries until each read is answered.
     *
     * @param firstClient the number of the first additional client
     * @return descriptions of the reads that failed
     */
    List<String> readAll(
            List<String> keys, int firstClient, int clients, long limitMillis, long seed) {
        List<FinalRead> reads = new ArrayList<>();
        for (String key : keys) {
            targets.forEach(target -> reads.add(new FinalRead(target, key)));
        }
        Collections.shuffle(reads, new Random(seed));
        Queue<FinalRead> left = new ConcurrentLinkedQueue<>(reads);
        Queue<String> unread = new ConcurrentLinkedQueue<>();
        long deadline = ticker.nanos() + limitMillis * NANOS_PER_MILLI;
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < clients; i++) {
                int client = firstClient + i;
                readers.execute(() -> read(client, left, unread, deadline));
            }
        }
        return List.copyOf(unread);
    }

    private void read(int client, Queue<FinalRead> left, Queue<String> unread, long deadline) {
        for (FinalRead read = left.poll(); read != null; read = left.poll()) {
            ClientRequest request =
                    new ClientRequest(read.key, new Action.Get(), workload.majority());
            Recorder.Call call = begin(client, request);
            RequestOutcome reply = send(read.target, request);
            call.end(reply.answer(), nanos());
            if (reply.kind() != RequestOutcome.Kind.OK && ticker.nanos() - deadline < 0) {
                left.add(read);
                Commands.sleepNanos(RETRY_NANOS);
            } else if (reply.kind() != RequestOutcome.Kind.OK) {
                unread.add(read.key + " through " + read.target.url + ": " + reply.answer());
            }
        }
    }

    /** Deletes the keys of the check; ignores failures. */
    void deleteAll(List<String> keys) {
        for (int i = 0; i < keys.size(); i++) {
            Target target = targets.get(i % targets.size());
            send(target, new ClientRequest(keys.get(i), new Action.Delete(), workload.majority()));
        }
    }

    /** Counts requests by outcome. Thread-safe. */
    static final class OutcomeCounts {

        // Both guarded by this.
        private final Map<RequestOutcome.Kind, Long> counts =
                new EnumMap<>(RequestOutcome.Kind.class);
        private String oddExample = "";

        synchronized void add(RequestOutcome reply) {
            counts.merge(reply.kind(), 1L, Long::sum);
            if (reply.kind() == RequestOutcome.Kind.ODD && oddExample.isEmpty()) {
                oddExample = reply.answer().toString();
            }
        }

        synchronized long all() {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }

        /** The first unexpected answer; empty if there was none. */
        synchronized String oddExample() {
            return oddExample;
        }

        /** Such as {@code 120 ok, 3 504, 1 not reached}. */
        @Override
        public synchronized String toString() {
            return counts.entrySet().stream()
                    .map(count -> count.getValue() + " " + count.getKey().word)
                    .collect(Collectors.joining(", "));
        }
    }

    /**
     * Decides whether a request is sent again, and what its outcome is. Only a conditional write
     * with an unknown outcome is sent again, under the version of its first attempt. Not
     * thread-safe.
     */
    static final class Attempts {

        private static final int MAX_ATTEMPTS = 12;

        private ClientRequest request;
        private int done;

        /** Whether an earlier attempt may have been executed. */
        private boolean isMaybe;

        Attempts(ClientRequest request) {
            this.request = request;
        }

        ClientRequest request() {
            return request;
        }

        /** The outcome after an attempt; null to send it again. */
        @Nullable RequestOutcome after(RequestOutcome attempt) {
            if (!request.isConditional()) {
                return attempt;
            }
            done++;
            boolean isNamed = !request.version().isEmpty();
            return switch (attempt.kind()) {
                case OK -> attempt;
                case UNMET -> isNamed ? withoutEvidence(attempt) : attempt;
                case OVERLOADED, UNREACHED -> isMaybe ? again(attempt) : attempt;
                case UNANSWERED -> isNamed ? again(attempt) : attempt;
                case NO_QUORUM -> {
                    if (!isNamed && attempt.version().isEmpty()) {
                        yield attempt.with(new Answer.Refused("504, nothing proposed"));
                    }
                    request = isNamed ? request : request.withVersion(attempt.version());
                    yield again(attempt);
                }
                case ODD -> isMaybe ? undecided(attempt) : attempt;
            };
        }

        /** Removes the evidence: the state that refused an earlier attempt is unknown. */
        private static RequestOutcome withoutEvidence(RequestOutcome attempt) {
            return attempt.answer().equals(new Answer.Unmet(""))
                    ? attempt.with(new Answer.Refused("412"))
                    : attempt;
        }

        private @Nullable RequestOutcome again(RequestOutcome attempt) {
            isMaybe = true;
            return done < MAX_ATTEMPTS ? null : undecided(attempt);
        }

        private RequestOutcome undecided(RequestOutcome attempt) {
            return attempt.with(
                    new Answer.Indeterminate(done + " attempts, the last: " + attempt.answer()));
        }
    }
}
