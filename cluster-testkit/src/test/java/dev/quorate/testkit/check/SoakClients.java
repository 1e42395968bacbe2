package dev.quorate.testkit.check;

import dev.quorate.testkit.check.SoakKey.Written;
import dev.quorate.testkit.live.NodeClient;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients of a soak, at a fixed rate: reads, overwrites, deletions, expiring values, conditional
 * writes and some large values. The keys are fixed, and each has one writer, so that every answer
 * can be judged at once ({@link SoakKey}).
 */
final class SoakClients implements AutoCloseable {

    /** An operation that failed: refused, or with an unknown outcome. */
    record Failure(String what, long began, long ended) {}

    private static final int CLIENTS = 16;
    private static final int KEYS_PER_CLIENT = 300;

    /** One key in this many has large values. */
    private static final int ONE_LARGE = 50;

    private static final int SMALL_BYTES = 4_000;
    private static final int LARGE_BYTES = 256 << 10;
    private static final int MAX_TTL_SECONDS = 60;
    private static final int MAX_VIOLATIONS = 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** How exactly a time to live is judged. */
    private static final long TTL_SLACK_NANOS = Duration.ofSeconds(2).toNanos();

    /** Requests that are due for longer are not sent. */
    private static final long MAX_LAG_NANOS = Duration.ofSeconds(1).toNanos();

    private final NodeClient http = new NodeClient();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(CLIENTS);
    private final List<Client> clients = new ArrayList<>();
    private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicLong operations = new AtomicLong();
    private volatile List<URI> nodes;

    /**
     * @param rate the operations of all clients in a second
     */
    SoakClients(List<URI> nodes, int rate, SplittableRandom random) {
        this.nodes = nodes;
        long period = TimeUnit.SECONDS.toNanos(CLIENTS) / rate;
        for (int i = 0; i < CLIENTS; i++) {
            Client client = new Client(i, period, random.split());
            clients.add(client);
            var _ =
                    threads.scheduleAtFixedRate(
                            client::run, i * period / CLIENTS, period, TimeUnit.NANOSECONDS);
        }
    }

    /** From now on clients use these nodes. */
    void use(List<URI> urls) {
        nodes = List.copyOf(urls);
    }

    long operations() {
        return operations.get();
    }

    List<Failure> failures() {
        return List.copyOf(failures);
    }

    /** Answers that no possible state of a key explains, such as lost writes. */
    List<String> violations() {
        return List.copyOf(violations);
    }

    /** Stops sending, and waits for outstanding requests. */
    void stop() throws InterruptedException {
        threads.shutdown();
        if (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("requests do not end");
        }
    }

    /** Reads every key through a node, and returns the number of keys without an answer. */
    int readAll(URI node) {
        int unread = 0;
        for (Client client : clients) {
            for (int i = 0; i < KEYS_PER_CLIENT; i++) {
                unread += client.read(node, i) ? 0 : 1;
            }
        }
        return unread;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        http.close();
    }

    private static long now() {
        return System.nanoTime();
    }

    private void violation(String what) {
        if (violations.size() < MAX_VIOLATIONS) {
            violations.add(what);
        }
    }

    /** The bytes of a value: its name, and bytes that the name determines. */
    static byte[] bytes(String name, boolean isLarge) {
        SplittableRandom random = new SplittableRandom(name.hashCode());
        int size =
                isLarge
                        ? LARGE_BYTES / 8 + random.nextInt(LARGE_BYTES)
                        : random.nextInt(SMALL_BYTES);
        byte[] start = (name + "|").getBytes(StandardCharsets.UTF_8);
        byte[] rest = new byte[size];
        random.nextBytes(rest);
        byte[] bytes = Arrays.copyOf(start, start.length + size);
        System.arraycopy(rest, 0, bytes, start.length, size);
        return bytes;
    }

    /** The name of a value; another text if a byte is wrong. */
    static String name(byte[] bytes, boolean isLarge) {
        String text = new String(bytes, 0, Math.min(64, bytes.length), StandardCharsets.ISO_8859_1);
        int end = text.indexOf('|');
        String name = end < 0 ? "" : text.substring(0, end);
        return end > 0 && Arrays.equals(bytes(name, isLarge), bytes)
                ? name
                : "damaged value of %d bytes: %s".formatted(bytes.length, name);
    }

    /** One client with its own keys. Sends one request at a time. */
    private final class Client {

        private final int number;
        private final long periodNanos;
        private final SplittableRandom random;
        private final SoakKey[] keys = new SoakKey[KEYS_PER_CLIENT];
        private long due;
        private long written;

        Client(int number, long periodNanos, SplittableRandom random) {
            this.number = number;
            this.periodNanos = periodNanos;
            this.random = random;
            Arrays.setAll(keys, _ -> new SoakKey());
        }

        synchronized void run() {
            due = due == 0 ? now() : due + periodNanos;
            if (now() - due > MAX_LAG_NANOS) {
                return;
            }
            try {
                List<URI> targets = nodes;
                step(targets.get(random.nextInt(targets.size())));
            } catch (RuntimeException e) {
                violation("client " + number + ": " + e);
            }
        }

        private void step(URI node) {
            int index = random.nextInt(KEYS_PER_CLIENT);
            SoakKey key = keys[index];
            int dice = random.nextInt(100);
            if (dice < 45) {
                read(node, index);
            } else if (dice < 53) {
                HttpRequest.Builder delete = request(node, index, "").DELETE();
                write(key, index, delete, new Written("", "", now()), 202);
            } else {
                int ttl = dice < 63 ? 1 + random.nextInt(MAX_TTL_SECONDS) : 0;
                put(node, index, ttl, ttl == 0 && dice < 78);
            }
        }

        private void put(URI node, int index, int ttl, boolean mayBeConditional) {
            SoakKey key = keys[index];
            written++;
            String name = id(index) + "." + written;
            HttpRequest.Builder put =
                    request(node, index, ttl == 0 ? "" : "&ttl=" + ttl)
                            .PUT(BodyPublishers.ofByteArray(bytes(name, isLarge(index))));
            if (mayBeConditional && key.isCertain()) {
                Written last = key.last();
                if (last.value().isEmpty()) {
                    put.header("If-None-Match", "*");
                } else {
                    put.header("If-Match", "\"" + last.version() + "\"");
                }
            }
            long expires = ttl == 0 ? Long.MAX_VALUE : now() + TimeUnit.SECONDS.toNanos(ttl);
            Written write =
                    ttl == 0
                            ? new Written(name, "", now())
                            : new Written(
                                    name,
                                    "",
                                    now(),
                                    expires - TTL_SLACK_NANOS,
                                    expires + TTL_SLACK_NANOS + TIMEOUT.toNanos());
            write(key, index, put, write, 201);
        }

        private void write(
                SoakKey key, int index, HttpRequest.Builder request, Written write, int success) {
            try {
                HttpResponse<byte[]> answer = send(request);
                int status = answer.statusCode();
                if (status == success) {
                    String version = answer.headers().firstValue("X-Quorate-Version").orElse("");
                    key.acknowledged(write.at(version));
                } else if (status == 503) {
                    failed(answer, write.began());
                } else if (status == 504) {
                    key.undecided(write);
                    failed(answer, write.began());
                } else {
                    wrong(index, write + " answered with " + describe(answer));
                }
            } catch (ConnectException e) {
                failed("no connection", write.began());
            } catch (IOException e) {
                key.undecided(write);
                failed(why(e), write.began());
            }
        }

        /** Returns whether the read was answered. */
        boolean read(URI node, int index) {
            SoakKey key = keys[index];
            long began = now();
            try {
                HttpResponse<byte[]> answer = send(request(node, index, "").GET());
                int status = answer.statusCode();
                if (status == 503 || status == 504) {
                    failed(answer, began);
                    return false;
                }
                if (status != 200 && status != 404) {
                    wrong(index, "read answered with " + describe(answer));
                    return true;
                }
                String value = status == 404 ? "" : name(answer.body(), isLarge(index));
                String version = answer.headers().firstValue("X-Quorate-Version").orElse("");
                String before = key.toString();
                if (!key.isPossible(value, version, began, now())) {
                    wrong(
                            index,
                            "read from %d to %d at %s found '%s' %s, but: %s"
                                    .formatted(began, now(), node, value, version, before));
                }
                return true;
            } catch (ConnectException e) {
                failed("no connection", began);
            } catch (IOException e) {
                failed(why(e), began);
            }
            return false;
        }

        private HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException {
            operations.incrementAndGet();
            return http.send(request.build(), BodyHandlers.ofByteArray());
        }

        private HttpRequest.Builder request(URI node, int index, String more) {
            return NodeClient.request(node + "/v0/entity?id=" + id(index) + more).timeout(TIMEOUT);
        }

        private String id(int index) {
            return "soak-" + number + "-" + index;
        }

        private void wrong(int index, String what) {
            violation(id(index) + ": " + what);
        }

        private void failed(HttpResponse<byte[]> answer, long began) {
            String body = new String(answer.body(), StandardCharsets.UTF_8);
            String why = body.contains("was removed") ? ", removed" : "";
            failed(answer.statusCode() + why, began);
        }

        private void failed(String what, long began) {
            failures.add(new Failure(what, began, now()));
        }
    }

    private static boolean isLarge(int index) {
        return index % ONE_LARGE == 0;
    }

    private static String describe(HttpResponse<byte[]> answer) {
        return answer.statusCode() + " " + new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static String why(IOException e) {
        return e instanceof HttpTimeoutException ? "no answer in time" : "connection broke";
    }
}
