package dev.quorate.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.Command;
import dev.quorate.testkit.page.Page;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus takes the configuration in docs/security.md. */
final class PrometheusPageTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir Path scratch;

    private int check(Path promtool, String text) throws Exception {
        Path file = Files.writeString(scratch.resolve("prometheus.yml"), text);
        List<String> command =
                List.of(promtool + "", "check", "config", "--syntax-only", file + "");
        return new Command(scratch.resolve("out")).run(command, LIMIT).exit();
    }

    /** Skipped where the program of Prometheus is not installed. */
    @Test
    void promtoolAgrees() throws Exception {
        Optional<Path> promtool = Command.find("promtool", System.getenv("PATH"));
        if (promtool.isEmpty()) {
            System.out.println("SKIPPED: promtool is not installed");
            Assumptions.abort("promtool is not installed");
        }
        Page page = Page.parse(Files.readString(ROOT.resolve("docs/security.md")));
        String text =
                page.blocks().stream()
                        .filter(block -> block.language().equals("yaml"))
                        .findFirst()
                        .orElseThrow()
                        .text();
        assertThat(check(promtool.orElseThrow(), text)).isZero();
        assertThat(check(promtool.orElseThrow(), text.replace("tls_config", "tls"))).isNotZero();
    }
}
