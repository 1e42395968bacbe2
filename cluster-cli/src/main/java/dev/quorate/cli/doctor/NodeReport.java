package dev.quorate.cli.doctor;

import java.util.List;
import org.jspecify.annotations.Nullable;

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
