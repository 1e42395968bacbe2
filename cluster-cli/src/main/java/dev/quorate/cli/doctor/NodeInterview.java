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
        try {
            ring = page("/v0/ring");
            before = MetricsText.parse(page("/metrics"));
        } catch (IOException e) {
            problem = Node.reason(e);
        }
    }

    NodeReport end(long nanos) {
        if (!problem.isEmpty()) {
            return NodeReport.failed(node.url(), problem, isRefused);
        }
        try {
            MetricsText now = MetricsText.parse(page("/metrics"));
            Node.Answer ready = node.ask("GET", "/readyz", timeoutMillis);
            RingPage page = RingPage.parse(ring);
            if (page == null) {
                throw new IOException("it is not a Quorate node");
            }
            return new NodeReport(
                    node.url(),
                    page.self(),
                    "",
                    false,
                    page.members(),
                    page.placement(),
                    ready.status() == 200 ? List.of() : ready.failedChecks(),
                    before,
                    now,
                    Math.max(1, nanos - beforeNanos) / 1e9,
                    checkpoints(),
                    certificateEndsMillis);
        } catch (IOException e) {
            return NodeReport.failed(node.url(), Node.reason(e), isRefused);
        }
    }

    /** The lines of this page, which not every token permits. */
    private List<String> checkpoints() {
        try {
            return page("/admin/checkpoint").lines().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private String page(String path) throws IOException {
        Node.Answer answer = node.ask("GET", path, timeoutMillis);
        isRefused = answer.status() == 401 || answer.status() == 403;
        if (answer.status() != 200) {
            throw new IOException(answer.statusLine());
        }
        certificateEndsMillis = answer.certificateEndsMillis();
        return answer.text();
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
