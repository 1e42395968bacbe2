package dev.quorate.testkit.check;

import dev.quorate.node.runtime.Ticker;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Recorder;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients at work. Each asks one thing after the other, each of a node drawn anew; all together no
 * more than so many in a second. No thread waits for an answer.
 */
final class Traffic {

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long RETRY_MILLIS = 100;

    /** One in so many goes to any node, the others to those that answered last time. */
    private static final int ONE_ANYWHERE = 10;

    /** A node as clients see it. */
    private static final class Door {
        private final URI url;
        private volatile boolean answered = true;

        Door(URI url) {
            this.url = url;
        }
    }

    private final Requests requests;
    private final Recorder recorder;
    private final Workload workload;
    private final Ticker ticker;
    private final ScheduledExecutorService timer;
    private final List<Door> doors;
    private final long nanosBetween;
    private volatile long began;
    private final AtomicLong nextNanos;
    private final Tally tally = new Tally();
    private volatile boolean stopped;
    private CountDownLatch working = new CountDownLatch(0);

    /**
     * Clients that do nothing yet.
     *
     * @param rate how many requests may be sent in a second
     * @param timer one thread, where requests begin
     */
    Traffic(
            Requests requests,
            List<URI> nodes,
            Recorder recorder,
            Workload workload,
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

    /** Asks nothing more, and waits for what was asked. */
    void stop() throws InterruptedException {
        stopped = true;
        working.await();
    }

    Tally tally() {
        return tally;
    }

    long nanos() {
        return ticker.nanos() - began;
    }

    private CompletableFuture<Reply> ask(
            int client, Door door, String key, Action action, QuorumSpec spec) {
        Recorder.Call call = recorder.begin(client, key, action, spec.ack(), spec.from(), nanos());
        return requests.send(door.url, key, action, spec)
                .thenApply(
                        reply -> {
                            call.end(reply.answer(), nanos());
                            tally.add(reply);
                            door.answered =
                                    reply.kind() != Reply.Kind.UNANSWERED
                                            && reply.kind() != Reply.Kind.UNREACHED;
                            return reply;
                        });
    }

    /** One client. Its steps follow each other, on whatever threads. */
    private final class Session {

        private final int number;
        private final SplittableRandom random;
        private int written;

        Session(int number, SplittableRandom random) {
            this.number = number;
            this.random = random;
        }

        /** Until its turn comes, as the rate has it. */
        void pause() {
            long now = ticker.nanos();
            long free = nextNanos.getAndUpdate(next -> Math.max(next, now) + nanosBetween);
            var _ = timer.schedule(this::next, Math.max(0, free - now), TimeUnit.NANOSECONDS);
        }

        /** Who finds nobody does not come back at once. */
        private void goOn(Reply reply) {
            if (reply.kind() == Reply.Kind.UNREACHED) {
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
            Workload.Wish wish =
                    workload.next(random, nanos() / NANOS_PER_MILLI, "c" + number + "-" + written);
            if (wish.action() instanceof Action.Put) {
                written++;
            }
            ask(number, door(), wish.key(), wish.action(), wish.spec())
                    .thenAccept(this::goOn)
                    .exceptionally(
                            bug -> {
                                bug.printStackTrace();
                                working.countDown();
                                return null;
                            });
        }

        private Door door() {
            Door door = doors.get(random.nextInt(doors.size()));
            for (int i = 0; i < 5 && !door.answered && random.nextInt(ONE_ANYWHERE) > 0; i++) {
                door = doors.get(random.nextInt(doors.size()));
            }
            return door;
        }
    }

    /** One key at one node. */
    private record Look(int door, String key) {}

    /**
     * Reads every key through every node at a majority, again and again until that is answered.
     *
     * @param firstClient the number of the first of so many more clients
     * @return what could not be read, in words; empty if all could
     */
    List<String> readAll(
            List<String> keys, int firstClient, int clients, long limitMillis, long seed)
            throws InterruptedException {
        List<Look> looks = new ArrayList<>();
        for (String key : keys) {
            for (int door = 0; door < doors.size(); door++) {
                looks.add(new Look(door, key));
            }
        }
        Collections.shuffle(looks, new Random(seed));
        LastReads reads =
                new LastReads(looks, clients, ticker.nanos() + limitMillis * NANOS_PER_MILLI);
        for (int i = 0; i < clients; i++) {
            int client = firstClient + i;
            timer.execute(() -> reads.next(client));
        }
        reads.reading.await();
        return List.copyOf(reads.unread);
    }

    /** What is still to be read, by clients that take one after the other. */
    private final class LastReads {

        private final Queue<Look> left;
        private final Queue<String> unread = new ConcurrentLinkedQueue<>();
        private final CountDownLatch reading;
        private final long deadline;

        LastReads(List<Look> looks, int clients, long deadline) {
            this.left = new ConcurrentLinkedQueue<>(looks);
            this.reading = new CountDownLatch(clients);
            this.deadline = deadline;
        }

        void next(int client) {
            Look look = left.poll();
            if (look == null) {
                reading.countDown();
                return;
            }
            Door door = doors.get(look.door);
            var _ =
                    ask(client, door, look.key, new Action.Get(), workload.majority())
                            .thenAccept(reply -> look(client, look, door, reply));
        }

        private void look(int client, Look look, Door door, Reply reply) {
            if (reply.kind() == Reply.Kind.OK) {
                next(client);
            } else if (ticker.nanos() - deadline < 0) {
                left.add(look);
                var _ = timer.schedule(() -> next(client), RETRY_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                unread.add(look.key + " through " + door.url + ": " + reply.answer());
                next(client);
            }
        }
    }

    /** Deletes what the check has written. What cannot be deleted stays. */
    void deleteAll(List<String> keys) {
        List<CompletableFuture<Reply>> deletes = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            URI url = doors.get(i % doors.size()).url;
            deletes.add(requests.send(url, keys.get(i), new Action.Delete(), workload.majority()));
            if (deletes.size() == doors.size()) {
                deletes.forEach(CompletableFuture::join);
                deletes.clear();
            }
        }
        deletes.forEach(CompletableFuture::join);
    }
}
