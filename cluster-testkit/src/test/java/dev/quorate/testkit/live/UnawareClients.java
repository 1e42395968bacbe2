package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Clients that write and read with {@code 2/3}, and must not notice that nodes are restarted. */
final class UnawareClients {

    static final int CLIENTS = 4;

    /** How long every other client rests after an exchange: its connections are idle mostly. */
    private static final long REST_MILLIS = 60;

    private static final int FIRST_REQUESTS = 500;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final FaultyProcesses cluster;
    private final int nodes;
    private final String parameters;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Map<String, String> acknowledged = new ConcurrentHashMap<>();
    private final Queue<String> failed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger requests = new AtomicInteger();

    /** Connections whose last answer was announced. */
    private final AtomicInteger announced = new AtomicInteger();

    /** Connections that were reset before their first answer: nothing was lost with them. */
    private final AtomicInteger notBegun = new AtomicInteger();

    /**
     * @param parameters of every request, beside its key
     */
    UnawareClients(FaultyProcesses cluster, int nodes, String parameters) {
        this.cluster = cluster;
        this.nodes = nodes;
        this.parameters = parameters;
    }

    /** What is done to the cluster meanwhile. */
    @FunctionalInterface
    interface Disturbance {
        void run() throws Exception;
    }

    /** Uses the cluster while that is done. */
    void during(Disturbance disturbance) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<?>> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                int number = client;
                clients.add(threads.submit(() -> use(number)));
            }
            try {
                await().atMost(LIMIT).until(() -> requests.get() > FIRST_REQUESTS);
                disturbance.run();
            } finally {
                stopped.countDown();
            }
            for (Future<?> client : clients) {
                client.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
        }
        assertThat(failed).as("failed of %d requests", requests.get()).isEmpty();
    }

    /** Waits until so many more requests were sent. */
    void awaitMore(int count) {
        int wanted = requests.get() + count;
        await().atMost(LIMIT).until(() -> requests.get() >= wanted);
    }

    int announced() {
        return announced.get();
    }

    @Override
    public String toString() {
        return "%d requests, 0 failed, %d connections ended by a last answer, %d before their first; %d writes read back"
                .formatted(requests.get(), announced.get(), notBegun.get(), acknowledged.size());
    }

    /** Uses each node in turn, over a connection to each that is kept. */
    private void use(int client) {
        @Nullable KeptConnection[] connections = new KeptConnection[nodes];
        for (int i = 0; !isStoppedAfterRest(client); i++) {
            int node = (client + i) % nodes;
            if (connections[node] == null) {
                connections[node] = connect(URI.create(cluster.url("n" + (node + 1))));
            }
            KeptConnection connection = connections[node];
            if (connection == null) {
                continue; // The next one.
            }
            if (!exchange(connection, "c" + client + "-" + i) || connection.isLast()) {
                close(connection);
                connections[node] = null;
            }
        }
        for (KeptConnection each : connections) {
            if (each != null) {
                close(each);
            }
        }
    }

    private boolean isStoppedAfterRest(int client) {
        try {
            return stopped.await(client % 2 == 0 ? 0 : REST_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A connection to a node that is ready; null if it is not. Balancers check that too. */
    private @Nullable KeptConnection connect(URI node) {
        KeptConnection connection;
        try {
            connection = new KeptConnection(node);
        } catch (IOException e) {
            return null;
        }
        try {
            if (connection.send("GET", "/v0/status", "").status() == 200 && !connection.isLast()) {
                return connection;
            }
        } catch (IOException e) {
            notBegun.incrementAndGet();
        }
        close(connection);
        return null;
    }

    /** A write and, unless its answer was the last, a read of it. False if it is not usable. */
    private boolean exchange(KeptConnection connection, String key) {
        String target = "/v0/entity?" + parameters + "&id=" + key;
        try {
            requests.incrementAndGet();
            KeptConnection.Answer written = connection.send("PUT", target, "value of " + key);
            if (written.status() != 201) {
                failed.add("PUT " + key + ": " + written);
                return true;
            }
            acknowledged.put(key, "value of " + key);
            if (connection.isLast()) {
                announced.incrementAndGet();
                return true;
            }
            requests.incrementAndGet();
            KeptConnection.Answer read = connection.send("GET", target, "");
            if (read.status() != 200 || !read.body().equals("value of " + key)) {
                failed.add("GET " + key + ": " + read);
            }
            if (connection.isLast()) {
                announced.incrementAndGet();
            }
            return true;
        } catch (IOException e) {
            failed.add(key + " after " + connection.answered() + " answers: " + e);
            return false;
        }
    }

    private static void close(KeptConnection connection) {
        try {
            connection.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Everything acknowledged is there. */
    void requireReadable() throws IOException {
        assertThat(acknowledged).isNotEmpty();
        try (EntityClient n3 = new EntityClient(cluster.url("n" + nodes))) {
            for (Map.Entry<String, String> each : acknowledged.entrySet()) {
                assertThat(n3.get(each.getKey(), "2/3").body())
                        .as(each.getKey())
                        .isEqualTo(each.getValue());
            }
        }
    }
}
