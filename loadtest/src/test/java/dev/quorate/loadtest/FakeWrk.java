package dev.quorate.loadtest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A {@code wrk} that sends nothing, and prints at once what it would after a run without errors.
 */
final class FakeWrk {

    private static final String SCRIPT =
            """
            #!/bin/sh
            [ "$1" = -v ] && { echo "wrk 9.9 [epoll]"; exit 0; }
            echo "$@" >>"$(dirname "$0")/loads"
            case "$*" in
              *operation=put*) status=201 ;;
              *) status=200 ;;
            esac
            echo $status >>"$(dirname "$0")/statuses"
            cat <<END
                Latency     1.10ms    0.50ms   4.00ms   90.00%
              Latency Distribution
                 50%    1.00ms
                 99%    2.00ms
              4000 requests in 1.00s, 1.00MB read
            Requests/sec:   4000.00
            Latency of 99.9%: 3000 us
            Latency of 100%: 4000 us
            END
            case "$*" in
              *checked=true*) echo "Answers by status: $status=4000"; echo "Every key was answered." ;;
            esac
            """;

    private final Path folder;

    /** Puts one into a folder, under that name. */
    FakeWrk(Path folder, String name) throws IOException {
        this.folder = folder;
        Path program = Files.writeString(folder.resolve(name), SCRIPT);
        if (!program.toFile().setExecutable(true)) {
            throw new IOException("not made executable: " + program);
        }
    }

    /** The arguments of each run. */
    List<String> loads() throws IOException {
        Path loads = folder.resolve("loads");
        return Files.exists(loads) ? Files.readAllLines(loads) : List.of();
    }

    /** What a node would count of the answers. */
    String counts() {
        Map<String, Integer> byStatus = new TreeMap<>();
        try {
            Files.readAllLines(folder.resolve("statuses"))
                    .forEach(status -> byStatus.merge(status, 4_000, Integer::sum));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        StringBuilder text = new StringBuilder();
        byStatus.forEach(
                (status, count) ->
                        text.append(
                                ("quorate_http_request_duration_seconds_count"
                                                + "{code=\"%s\",op=\"get\"} %d\n")
                                        .formatted(status, count)));
        return text.toString();
    }
}
