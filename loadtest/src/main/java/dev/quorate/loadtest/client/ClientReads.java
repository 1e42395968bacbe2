package dev.quorate.loadtest.client;

import dev.quorate.client.BatchOperation;
import dev.quorate.client.BatchResult;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.WriteOptions;
import dev.quorate.harness.NodeClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * GETs of {@code 1/1} by turns: plain HTTP through one node and through all, and the client, which
 * asks the owner. All by the HTTP client of the JDK.
 */
public final class ClientReads {

    private static final int BATCH = 250;
    private static final double NANOS_PER_MICRO = 1_000;

    /**
     * How much is read.
     *
     * @param threads each with one read under way
     * @param turns of each case, after one to warm up
     */
    public record Plan(int threads, int keys, int valueBytes, int seconds, int turns) {}

    private final List<URI> nodes;
    private final Plan plan;
    private final LongSupplier nanos;

    /** Of nodes that run. */
    public ClientReads(List<URI> nodes, Plan plan, LongSupplier nanos) {
        this.nodes = List.copyOf(nodes);
        this.plan = plan;
        this.nanos = nanos;
    }

    /**
     * Writes the keys, reads them, and returns the figures as text.
     *
     * @throws IOException if one read fails
     */
    public String run() throws IOException {
        try (QuorateClient client = QuorateClient.builder().nodes(nodes).build();
                NodeClient plain = new NodeClient()) {
            client.learnRing();
            write(client);
            Map<String, ReadTurn.Read> cases = new LinkedHashMap<>();
            cases.put("plain HTTP, one node", key -> plain(plain, nodes.getFirst(), key));
            cases.put(
                    "plain HTTP, all nodes",
                    key -> plain(plain, nodes.get(key % nodes.size()), key));
            ReadOptions one = ReadOptions.DEFAULT.replicas(1, 1);
            cases.put(
                    "client with the ring",
                    key -> client.get(key(key), one).map(entry -> entry.value().length).orElse(-1));
            return measure(cases);
        }
    }

    private void write(QuorateClient client) throws IOException {
        for (int first = 0; first < plan.keys(); first += BATCH) {
            List<BatchOperation> puts = new ArrayList<>();
            for (int i = first; i < Math.min(plan.keys(), first + BATCH); i++) {
                puts.add(BatchOperation.put(key(i), new byte[plan.valueBytes()]));
            }
            for (BatchResult result : client.batch(puts, WriteOptions.DEFAULT.replicas(1, 1))) {
                if (!(result instanceof BatchResult.Written)) {
                    throw new IOException("a key is not written: " + result);
                }
            }
        }
    }

    private static Key key(int number) {
        return Key.of("bench-client-" + number);
    }

    private static int plain(NodeClient client, URI node, int key) throws IOException {
        HttpResponse<byte[]> answer =
                client.get(node + "/v0/entity?id=" + key(key) + "&replicas=1/1");
        return answer.statusCode() == 200 ? answer.body().length : -answer.statusCode();
    }

    private String measure(Map<String, ReadTurn.Read> cases) throws IOException {
        ReadTurn turn = new ReadTurn(plan.threads(), plan.keys(), plan.valueBytes(), nanos);
        Map<String, List<Histogram>> turns = new LinkedHashMap<>();
        for (int i = 0; i <= plan.turns(); i++) {
            for (Map.Entry<String, ReadTurn.Read> each : cases.entrySet()) {
                Histogram latencies = turn.run(each.getValue(), plan.seconds());
                if (i > 0) { // the first turn warms everything up
                    turns.computeIfAbsent(each.getKey(), _ -> new ArrayList<>()).add(latencies);
                }
            }
        }
        StringBuilder text = new StringBuilder();
        double base = 0;
        for (Map.Entry<String, List<Histogram>> each : turns.entrySet()) {
            Histogram median = median(each.getValue());
            double perSecond = (double) median.getTotalCount() / plan.seconds();
            base = base == 0 ? perSecond : base;
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%-22s %,8.0f/s  x %.2f  p50 %,6.0f us  p99 %,6.0f us%n",
                            each.getKey(),
                            perSecond,
                            perSecond / base,
                            median.getValueAtPercentile(50) / NANOS_PER_MICRO,
                            median.getValueAtPercentile(99) / NANOS_PER_MICRO));
        }
        return text.toString();
    }

    /** The turn with the median of reads. */
    private static Histogram median(List<Histogram> turns) {
        List<Histogram> sorted =
                turns.stream()
                        .sorted((a, b) -> Long.compare(a.getTotalCount(), b.getTotalCount()))
                        .toList();
        return sorted.get(sorted.size() / 2);
    }
}
