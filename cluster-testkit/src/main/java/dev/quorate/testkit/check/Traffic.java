package dev.quorate.testkit.check;

import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Timestamp;
import dev.quorate.testkit.check.CheckWorkload.Wish;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a check. Each sends one request at a time, each to a newly drawn node, within a
 * common rate limit. No thread waits for an answer.
 */
final class Traffic {

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long RETRY_MILLIS = 100;

    /**
     * One request in this many goes to any node, the others to nodes whose last answer succeeded.
     */
    private static final int ONE_ANYWHERE = 10;

    /** One conditional write in this many carries a version from the beginning. */
    private static final int ONE_WITH_VERSION = 4;

    /** A node from the view of clients. */
    private static final class Door {
        private final URI url;
        private volatile boolean answered = true;

        Door(URI url) {
            this.url = url;
        }
    }

    private final HistoryClient requests;
    private final Recorder recorder;
    private final CheckWorkload workload;
    private final Ticker ticker;
    private final ScheduledExecutorService timer;
    private final List<Door> doors;
    private final long nanosBetween;
    private volatile long began;
    private final AtomicLong nextNanos;
    private final OutcomeCounts tally = new OutcomeCounts();
    private final SeenValues seen = new SeenValues();
    private volatile boolean stopped;
    private CountDownLatch working = new CountDownLatch(0);

    /**
     * Clients that are not started.
     *
     * @param rate the limit of requests per second
     * @param timer one thread, which starts requests
     */
    Traffic(
            HistoryClient requests,
            List<URI> nodes,
            Recorder recorder,
            CheckWorkload workload,
            int rate,
            Ticker ticker,
            ScheduledExecutorService timer) {
        this.requests = requests;
        this.recorder = recorder;
        this.workload = workload;
        this.ticker = ticker;
        this.timer = timer;
        this.doors = nodes.stream().map(Door::new).toList();
        this.nanosBetween = NANOS_PER_SECOND / rate;
        this.began = ticker.nanos();
        this.nextNanos = new AtomicLong(began);
    }

    void start(int clients, SplittableRandom random) {
        began = ticker.nanos();
        nextNanos.set(began);
        working = new CountDownLatch(clients);
        for (int number = 0; number < clients; number++) {
            new Session(number, random.split()).pause();
        }
    }

    /** Sends no more requests and waits for the outstanding ones. */
    void stop() throws InterruptedException {
        stopped = true;
        working.await();
    }

    OutcomeCounts tally() {
        return tally;
    }

    long nanos() {
        return ticker.nanos() - began;
    }

    private Recorder.Call begin(int client, Wish wish) {
        return recorder.begin(
                client, wish.key(), wish.action(), wish.spec().ack(), wish.spec().from(), nanos());
    }

    private CompletableFuture<RequestOutcome> send(Door door, Wish wish) {
        return requests.send(door.url, wish)
                .thenApply(
                        reply -> {
                            tally.add(reply);
                            door.answered =
                                    reply.kind() != RequestOutcome.Kind.UNANSWERED
                                            && reply.kind() != RequestOutcome.Kind.UNREACHED;
                            return reply;
                        });
    }

    /** One client. Its steps are sequential, on varying threads. */
    private final class Session {

        private final int number;
        private final SplittableRandom random;
        private int written;

        Session(int number, SplittableRandom random) {
            this.number = number;
            this.random = random;
        }

        /** Waits for its turn within the rate limit. */
        void pause() {
            long now = ticker.nanos();
            long free = nextNanos.getAndUpdate(next -> Math.max(next, now) + nanosBetween);
            var _ = timer.schedule(this::next, Math.max(0, free - now), TimeUnit.NANOSECONDS);
        }

        /** A client that reached no node pauses before the next request. */
        private void sendNext(RequestOutcome reply) {
            if (reply.kind() == RequestOutcome.Kind.UNREACHED) {
                var _ = timer.schedule(this::pause, RETRY_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                pause();
            }
        }

        private void next() {
            if (stopped) {
                working.countDown();
                return;
            }
            Wish wish =
                    workload.next(
                            random, nanos() / NANOS_PER_MILLI, "c" + number + "-" + written, seen);
            if (wish.action() instanceof Action.Put) {
                written++;
            }
            if (wish.isConditional() && random.nextInt(ONE_WITH_VERSION) == 0) {
                wish = wish.withVersion(newVersion());
            }
            attempt(new Attempts(wish), begin(number, wish));
        }

        /** Of the second that has begun: it is not ahead of the nodes' clocks. */
        private String newVersion() {
            long second = ticker.wallMillis() / 1_000 * 1_000;
            return Timestamp.of(second, random.nextInt(1 << 16), random.nextInt()).toString();
        }

        private void attempt(Attempts attempts, Recorder.Call call) {
            send(door(), attempts.wish())
                    .thenAccept(reply -> attempted(attempts, call, reply))
                    .exceptionally(
                            bug -> {
                                bug.printStackTrace();
                                working.countDown();
                                return null;
                            });
        }

        private void attempted(Attempts attempts, Recorder.Call call, RequestOutcome reply) {
            RequestOutcome outcome = attempts.after(reply);
            if (outcome == null) {
                long millis = 1 + random.nextLong(2 * RETRY_MILLIS);
                var _ =
                        timer.schedule(
                                () -> attempt(attempts, call), millis, TimeUnit.MILLISECONDS);
                return;
            }
            call.end(outcome.answer(), nanos());
            Wish wish = attempts.wish();
            seen.note(wish.key(), wish.action(), outcome.answer());
            sendNext(outcome);
        }

        private Door door() {
            Door door = doors.get(random.nextInt(doors.size()));
            for (int i = 0; i < 5 && !door.answered && random.nextInt(ONE_ANYWHERE) > 0; i++) {
                door = doors.get(random.nextInt(doors.size()));
            }
            return door;
        }
    }

    /** A final read of one key through one node. */
    private record FinalRead(Door door, String key) {}

    /**
     * Reads every key through every node at a majority, with retries until each read is answered.
     *
     * @param firstClient the number of the first additional client
     * @return the reads that failed, as text; empty if none did
     */
    List<String> readAll(
            List<String> keys, int firstClient, int clients, long limitMillis, long seed)
            throws InterruptedException {
        List<FinalRead> reads = new ArrayList<>();
        for (String key : keys) {
            doors.forEach(door -> reads.add(new FinalRead(door, key)));
        }
        Collections.shuffle(reads, new Random(seed));
        FinalReads queue =
                new FinalReads(reads, clients, ticker.nanos() + limitMillis * NANOS_PER_MILLI);
        for (int i = 0; i < clients; i++) {
            int client = firstClient + i;
            timer.execute(() -> queue.next(client));
        }
        queue.reading.await();
        return List.copyOf(queue.unread);
    }

    /** The queue of final reads, which all clients take from. */
    private final class FinalReads {

        private final Queue<FinalRead> left;
        private final Queue<String> unread = new ConcurrentLinkedQueue<>();
        private final CountDownLatch reading;
        private final long deadline;

        FinalReads(List<FinalRead> reads, int clients, long deadline) {
            this.left = new ConcurrentLinkedQueue<>(reads);
            this.reading = new CountDownLatch(clients);
            this.deadline = deadline;
        }

        void next(int client) {
            FinalRead read = left.poll();
            if (read == null) {
                reading.countDown();
                return;
            }
            Wish wish = new Wish(read.key, new Action.Get(), workload.majority());
            Recorder.Call call = begin(client, wish);
            var _ =
                    send(read.door, wish)
                            .thenAccept(
                                    reply -> {
                                        call.end(reply.answer(), nanos());
                                        finish(client, read, reply);
                                    });
        }

        private void finish(int client, FinalRead read, RequestOutcome reply) {
            if (reply.kind() == RequestOutcome.Kind.OK) {
                next(client);
            } else if (ticker.nanos() - deadline < 0) {
                left.add(read);
                var _ = timer.schedule(() -> next(client), RETRY_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                unread.add(read.key + " through " + read.door.url + ": " + reply.answer());
                next(client);
            }
        }
    }

    /** Deletes the keys of the check, as far as possible. */
    void deleteAll(List<String> keys) {
        List<CompletableFuture<RequestOutcome>> deletes = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            URI url = doors.get(i % doors.size()).url;
            Wish delete = new Wish(keys.get(i), new Action.Delete(), workload.majority());
            deletes.add(requests.send(url, delete));
            if (deletes.size() == doors.size()) {
                deletes.forEach(CompletableFuture::join);
                deletes.clear();
            }
        }
        deletes.forEach(CompletableFuture::join);
    }

    /** Counts the outcomes of requests. Thread-safe. */
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
                    .map(count -> count.getValue() + " " + count.getKey().word())
                    .collect(Collectors.joining(", "));
        }
    }

    /**
     * Decides whether a request is sent again, and what its outcome is. A conditional write is,
     * under the version of its first attempt, while its outcome is unknown; nothing else is. Not
     * thread-safe.
     */
    static final class Attempts {

        private static final int MAX_ATTEMPTS = 12;

        private Wish wish;
        private int done;

        /** Whether an earlier attempt may have been executed. */
        private boolean isMaybe;

        Attempts(Wish wish) {
            this.wish = wish;
        }

        /** What is to be sent now. */
        Wish wish() {
            return wish;
        }

        /** The outcome after an attempt; null to send it again. */
        @Nullable RequestOutcome after(RequestOutcome attempt) {
            if (!wish.isConditional()) {
                return attempt;
            }
            done++;
            boolean isNamed = !wish.version().isEmpty();
            return switch (attempt.kind()) {
                case OK -> attempt;
                case UNMET -> isNamed ? withoutEvidence(attempt) : attempt;
                case OVERLOADED, UNREACHED -> isMaybe ? again(attempt) : attempt;
                case UNANSWERED -> isNamed ? again(attempt) : attempt;
                case NO_QUORUM -> {
                    if (!isNamed && attempt.version().isEmpty()) {
                        yield attempt.with(new Answer.Refused("504, nothing proposed"));
                    }
                    wish = isNamed ? wish : wish.withVersion(attempt.version());
                    yield again(attempt);
                }
                case ODD -> isMaybe ? undecided(attempt) : attempt;
            };
        }

        /** What was there when an earlier attempt was refused is not known. */
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
