package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Seed;
import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.quorum.QuorumSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that increment one counter, in simulated time: the figures are of the protocol alone. */
class ContendedKeyTest {

    private static final byte[] KEY = "counter".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final Duration BETWEEN_REQUESTS = Duration.ofMillis(1);
    private static final int SECONDS = 10;

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private long made;
    private long attempts;
    private long longestNanos;

    /** A message and an fsync. */
    @BeforeEach
    void delays() {
        RandomGenerator random = Seed.random("ContendedKeyTest");
        cluster.delayNanos = () -> random.nextLong(500_000, 1_500_000);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "2, 3", "16, 1", "16, 3", "64, 1", "64, 3"})
    void manyMakeAsMuchProgressAsOne(int clients, int nodes) {
        List<Client> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            all.add(new Client(cluster.nodes.get(i % nodes)));
        }
        all.forEach(Client::read);
        cluster.time.advance(Duration.ofSeconds(SECONDS));
        all.forEach(Client::stop);
        long messages = cluster.nodes.stream().mapToLong(node -> node.timesAsked).sum();
        System.out.printf(
                "%d clients through %d nodes: %d increments/s, %.1f attempts and %.1f messages"
                        + " each, the longest took %d ms%n",
                clients,
                nodes,
                made / SECONDS,
                (double) attempts / made,
                (double) messages / made,
                longestNanos / 1_000_000);
        // One alone makes some 130: each needs a read and two rounds.
        assertThat(made / SECONDS).isGreaterThan(nodes == 1 ? 110 : 85);
        assertThat(attempts / made).isLessThan(nodes == 1 ? 8 : 16);
        if (clients <= 16) {
            assertThat(longestNanos).isLessThan(Duration.ofSeconds(5).toNanos());
        }
    }

    /** Reads, adds one, and writes if nobody else has. */
    private final class Client {

        private final Node node;
        private long began = cluster.time.nanos();
        private boolean isStopped;

        Client(Node node) {
            this.node = node;
        }

        void stop() {
            waited();
            isStopped = true;
        }

        private void waited() {
            longestNanos = Math.max(longestNanos, cluster.time.nanos() - began);
        }

        void read() {
            if (!isStopped) {
                node.coordinator.read(KEY, TWO_OF_THREE, later(this::add));
            }
        }

        private OutcomeCallback later(Consumer<Outcome> next) {
            return outcome -> cluster.time.after(BETWEEN_REQUESTS, () -> next.accept(outcome));
        }

        private void add(Outcome found) {
            ConditionalRequest.Condition condition =
                    found instanceof Outcome.Found(var entry)
                            ? new ConditionalRequest.Condition.Is(entry.timestamp())
                            : ConditionalRequest.Condition.Absent.ABSENT;
            attempts++;
            node.coordinator.writeIf(
                    KEY,
                    new NewValue(KEY, null, null),
                    condition,
                    null,
                    TWO_OF_THREE,
                    later(this::written));
        }

        private void written(Outcome outcome) {
            if (outcome instanceof Outcome.Written) {
                made++;
                waited();
                began = cluster.time.nanos();
            } else {
                assertThat(outcome).isInstanceOf(Outcome.Unmet.class);
            }
            read();
        }
    }
}
