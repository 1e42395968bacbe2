package dev.quorate.cli.doctor;

import dev.quorate.cli.client.RingPage;
import dev.quorate.cli.local.MetricsText;
import dev.quorate.cli.local.Node;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks one node for its state twice, because the growth of some metrics is significant. */
final class NodeInterview {

    private final Node node;
    private final int timeoutMillis;
    private String ring = "";
    private MetricsText before = MetricsText.NONE;
    private long beforeNanos;
    private String problem = "";
    private boolean isRefused;
    private long certificateEndsMillis;

    NodeInterview(Node node, int timeoutMillis) {
        this.node = node;
        this.timeoutMillis = timeoutMillis;
    }

    void begin(long nanos) {
        beforeNanos = nanos;
        ring = page("/v0/ring");
        if (problem.isEmpty()) {
            before = MetricsText.parse(page("/metrics"));
        }
    }

    NodeReport end(long nanos) {
        if (!problem.isEmpty()) {
            return NodeReport.failed(node.url(), problem, isRefused);
        }
        MetricsText now = MetricsText.parse(page("/metrics"));
        List<String> checks = readiness();
        RingPage page = ringPage();
        if (page == null) {
            return NodeReport.failed(node.url(), problem, isRefused);
        }
        // Not every token permits this request.
        List<String> checkpoints = page("/admin/checkpoint").lines().toList();
        return new NodeReport(
                node.url(),
                page.self(),
                "",
                false,
                page.members(),
                page.placement(),
                checks,
                before,
                now,
                Math.max(1, nanos - beforeNanos) / 1e9,
                problem.isEmpty() ? checkpoints : List.of(),
                certificateEndsMillis);
    }

    /** The ring; null, with {@code problem} set, if there is none. */
    private @Nullable RingPage ringPage() {
        try {
            RingPage page = RingPage.parse(ring);
            if (problem.isEmpty()) {
                problem = page == null ? "it is not a Quorate node" : "";
                return page;
            }
        } catch (IOException e) {
            problem = Node.reason(e);
        }
        return null;
    }

    /** The text of a page; empty, with {@code problem} set, if there is none. */
    private String page(String path) {
        try {
            Node.Answer answer = node.ask("GET", path, timeoutMillis);
            if (answer.status() == 200) {
                certificateEndsMillis = answer.certificateEndsMillis();
                return answer.text();
            }
            isRefused = answer.status() == 401 || answer.status() == 403;
            problem = answer.statusLine();
        } catch (IOException e) {
            problem = Node.reason(e);
        }
        return "";
    }

    private List<String> readiness() {
        try {
            Node.Answer answer = node.ask("GET", "/readyz", timeoutMillis);
            return answer.status() == 200 ? List.of() : answer.failedChecks();
        } catch (IOException e) {
            problem = Node.reason(e);
            return List.of();
        }
    }

    /**
     * The state of a node.
     *
     * @param name the name of the member; null if it does not answer
     * @param problem why the node does not answer or refuses the request; empty if it answers
     * @param isRefused whether the node refuses the token
     * @param failedChecks the failed checks of {@code /readyz}
     * @param before the first metrics
     * @param now the second metrics
     * @param seconds the time between the two
     * @param checkpoints the lines of {@code /admin/checkpoint}
     * @param certificateEndsMillis the end of the certificate in ms since 1970; 0 without one
     */
    record NodeReport(
            String url,
            @Nullable String name,
            String problem,
            boolean isRefused,
            List<String> members,
            String placement,
            List<String> failedChecks,
            MetricsText before,
            MetricsText now,
            double seconds,
            List<String> checkpoints,
            long certificateEndsMillis) {

        /** The report of a node that does not answer, or refuses. */
        static NodeReport failed(String url, String problem, boolean isRefused) {
            return new NodeReport(
                    url,
                    null,
                    problem,
                    isRefused,
                    List.of(),
                    "",
                    List.of(),
                    MetricsText.NONE,
                    MetricsText.NONE,
                    1,
                    List.of(),
                    0);
        }

        /** The growth of a counter per second, summed over all labels. */
        double rate(String counter) {
            return (now.sum(counter) - before.sum(counter)) / seconds;
        }
    }
}
