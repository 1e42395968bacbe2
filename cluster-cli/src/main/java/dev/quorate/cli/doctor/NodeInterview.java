package dev.quorate.cli.doctor;

import dev.quorate.cli.client.RingPage;
import dev.quorate.cli.local.Node;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks one node what it says about itself: twice, since some figures matter by their growth. */
final class NodeInterview {

    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final double NANOS_PER_SECOND = 1e9;

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

    /** Asks for the first time. */
    void begin(long nanos) {
        beforeNanos = nanos;
        ring = page("/v0/ring");
        if (problem.isEmpty()) {
            before = MetricsText.parse(page("/metrics"));
        }
    }

    /** Asks for the second time. */
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
        // Not every token may ask for them.
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
                Math.max(1, nanos - beforeNanos) / NANOS_PER_SECOND,
                problem.isEmpty() ? checkpoints : List.of(),
                certificateEndsMillis);
    }

    /** The ring; null, with the problem noted, if there is none. */
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

    /** A page's text; empty, with the problem noted, if there is none. */
    private String page(String path) {
        try {
            Node.Answer answer = node.ask("GET", path, timeoutMillis);
            if (answer.status() == 200) {
                certificateEndsMillis = answer.certificateEndsMillis();
                return answer.text();
            }
            isRefused = answer.status() == UNAUTHORIZED || answer.status() == FORBIDDEN;
            problem = answer.statusLine();
        } catch (IOException e) {
            problem = Node.reason(e);
        }
        return "";
    }

    /** The checks that fail. */
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
     * What a node says about itself.
     *
     * @param name of the member; null if it does not answer
     * @param problem why it does not answer, or refuses; empty if it answers
     * @param isRefused whether it answers, and does not accept the token
     * @param members the names of all members, as it knows them
     * @param placement what determines the owners of keys, as text that is the same at each member
     * @param failedChecks the lines of {@code /readyz} that say why it is not ready
     * @param before its metrics at first
     * @param now its metrics some seconds later
     * @param seconds between the two
     * @param checkpoints the lines of {@code /admin/checkpoint}
     * @param certificateEndsMillis when its certificate ends; 0 without one
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

        NodeReport {
            members = List.copyOf(members);
            failedChecks = List.copyOf(failedChecks);
            checkpoints = List.copyOf(checkpoints);
        }

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

        /** By how much a counter has grown in a second, over all its labels. */
        double rate(String counter) {
            return (now.sum(counter).orElse(0) - before.sum(counter).orElse(0)) / seconds;
        }
    }
}
