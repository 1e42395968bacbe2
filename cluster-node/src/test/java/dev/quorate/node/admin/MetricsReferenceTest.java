package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.HttpListener;
import dev.quorate.node.http.connection.TestListener;
import dev.quorate.router.runtime.DurationHistogram;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.SystemTicker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/metrics.md} is what the metrics page says of itself. */
final class MetricsReferenceTest extends PagesOfANode {

    private static final Path DOCS =
            Path.of(System.getProperty("quorate.root", ".")).resolve("docs");
    private static final Pattern LABEL = Pattern.compile("([a-z]+)=\"");
    private static final String HEAD =
            """
            # Metrics

            `GET /metrics` of a node returns these metrics for Prometheus. Counters end in `_total`, units are seconds and bytes, and no label contains a key.
            A histogram has `_bucket`, `_count` and `_sum`. The answer also contains metrics of the JVM
            (`jvm_`, `process_`). A label has few values, whatever clients send: `replicas` is `none`, `other`, or a quorum of
            up to three replicas.
            [alert-rules.yml](alert-rules.yml) has alerts, and [alert-rules.test.yml](alert-rules.test.yml) shows when each fires
            (`promtool test rules`). [grafana-dashboard.json](grafana-dashboard.json) is a dashboard to import into Grafana; it takes the
            name of the scrape job from the data.

            `MetricsReferenceTest` compares this page with the metrics. If they differ, it writes the new page to
            `cluster-node/target/metrics.md`.

            | Metric | Type | Labels | What it is |
            |---|---|---|---|
            """;

    /** One metric of the page. */
    private static final class Metric {
        String help = "";
        String type = "";
        final Set<String> labels = new TreeSet<>();
    }

    @Test
    void thePageIsMadeFromTheMetrics() throws Exception {
        Map<String, Metric> metrics = metrics();
        StringBuilder page = new StringBuilder(HEAD);
        metrics.forEach(
                (name, metric) ->
                        page.append(
                                "| `%s` | %s | %s | %s |%n"
                                        .formatted(
                                                name,
                                                metric.type,
                                                String.join(", ", metric.labels),
                                                metric.help)));
        String made = page.toString().replace(System.lineSeparator(), "\n");
        Files.writeString(Path.of("target", "metrics.md"), made);
        assertThat(metrics).hasSizeGreaterThan(60);
        assertThat(DOCS.resolve("metrics.md")).hasContent(made);
    }

    /** A rule on a metric that is not there never fires. */
    @Test
    void theAlertsAreOnMetricsThatAreThere() throws Exception {
        String rules = Files.readString(DOCS.resolve("alert-rules.yml"));
        Matcher name = Pattern.compile("quorate_[a-z_]+").matcher(rules);
        Set<String> used = new TreeSet<>();
        while (name.find()) {
            used.add(name.group().replaceAll("_bucket$", ""));
        }
        assertThat(used).hasSizeGreaterThan(8);
        assertThat(metrics().keySet()).containsAll(used);
    }

    /** A panel on a metric that is not there stays empty. */
    @Test
    void theDashboardIsOnMetricsThatAreThere() throws Exception {
        String text = Files.readString(DOCS.resolve("grafana-dashboard.json"));
        JsonArray panels = JsonParser.parseString(text).getAsJsonObject().getAsJsonArray("panels");
        Set<Integer> ids = new TreeSet<>();
        Set<String> used = new TreeSet<>();
        for (JsonElement panel : panels) {
            assertThat(ids.add(panel.getAsJsonObject().get("id").getAsInt())).isTrue();
        }
        Matcher name = Pattern.compile("quorate_[a-z_]+").matcher(text);
        while (name.find()) {
            used.add(name.group().replaceAll("_(bucket|count|sum)$", ""));
        }
        assertThat(ids).hasSizeGreaterThan(20);
        assertThat(used).hasSizeGreaterThan(20);
        assertThat(metrics().keySet()).containsAll(used);
    }

    private Map<String, Metric> metrics() throws Exception {
        requests.answered(Operation.GET, 200, 1);
        DurationHistogram times = new DurationHistogram();
        times.record(1);
        peers = peers.stream().map(each -> withTimes(each, times.counts())).toList();
        try (ExecutorScheduler scheduler = new ExecutorScheduler("timer");
                HttpListener listener =
                        TestListener.start(
                                1,
                                HttpLimits.defaults(),
                                (request, exchange) -> {},
                                SystemTicker.INSTANCE,
                                scheduler)) {
            listeners = Map.of("client", listener);
            return parsed(text(get("/metrics", AT_ONCE)));
        }
    }

    private static Map<String, Metric> parsed(String page) {
        Map<String, Metric> metrics = new TreeMap<>();
        Metric current = new Metric();
        for (String line : page.lines().toList()) {
            String[] words = line.split(" ", 4);
            if (line.startsWith("# HELP quorate_")) {
                current = metrics.computeIfAbsent(words[2], name -> new Metric());
                current.help = words[3];
            } else if (line.startsWith("# TYPE quorate_")) {
                current = metrics.computeIfAbsent(words[2], name -> new Metric());
                current.type = words[3];
            } else if (line.startsWith("quorate_") && line.contains("{")) {
                Matcher label = LABEL.matcher(line.substring(line.indexOf('{')));
                while (label.find()) {
                    if (!label.group(1).equals("le")) {
                        current.labels.add(label.group(1));
                    }
                }
            }
        }
        return metrics;
    }
}
