package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A flag has precedence over the environment, that over the file of clusters. */
final class ConnectionTest {

    @TempDir private Path folder;
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void writeFile() throws IOException {
        Files.createDirectories(folder.resolve("quorate"));
        Files.writeString(folder.resolve("quorate/prod.token"), "of-prod\n");
        Files.writeString(folder.resolve("typed.token"), "typed\n");
        writeClusters("default=test\n");
        environment.put("XDG_CONFIG_HOME", folder.toString());
    }

    private void writeClusters(String more) throws IOException {
        Files.writeString(
                folder.resolve("quorate/clusters.properties"),
                "prod.url=prod1:1,https://prod2:2\nprod.token-file=prod.token\ntest.url=test:3\n"
                        + more);
    }

    private Connection connection(String... words) {
        CommandSpec spec = CommandSpec.create().addMixin("connection", Connection.options());
        return new Connection(
                new CommandLine(spec).parseArgs(words), environment, SystemTicker.INSTANCE);
    }

    private List<String> urls(String... words) throws IOException {
        try (Connection connection = connection(words)) {
            return connection.nodes().stream().map(Node::url).toList();
        }
    }

    private String token(String... words) {
        try (Connection connection = connection(words)) {
            return connection.access().token();
        }
    }

    @Test
    void aFlagGoesBeforeTheEnvironmentAndThatBeforeTheFile() throws IOException {
        assertThat(urls()).containsExactly("http://test:3");
        environment.put("QUORATE_URL", "env:4");
        assertThat(urls()).containsExactly("http://env:4");
        assertThat(urls("--cluster", "prod")).containsExactly("http://prod1:1", "https://prod2:2");
        assertThat(urls("--url", "typed:5", "--cluster", "prod")).containsExactly("http://typed:5");
        assertThat(urls("--url", "typed:5,typed:6")).hasSize(2);
        assertThat(urls("--data", folder.resolve("none").toString())).isEmpty();
    }

    @Test
    void withoutAnythingTheLocalClusterIsMeant() throws IOException {
        writeClusters("");
        assertThat(urls("--data", folder.resolve("none").toString())).isEmpty();
        environment.clear();
        assertThat(urls("--data", folder.resolve("none").toString())).isEmpty();
        assertThatThrownBy(() -> urls("--cluster", "prod"))
                .hasMessageContaining("QUORATE_CLUSTERS");
    }

    @Test
    void aTokenOfAClusterGoesToItsNodesOnly() throws IOException {
        writeClusters("default=prod\n");
        assertThat(token()).isEqualTo("of-prod");
        assertThat(token("--url", "typed:5")).isNull();
        assertThat(token("--url", "typed:5", "--cluster", "prod")).isEqualTo("of-prod");
        environment.put("QUORATE_TOKEN", "of-environment");
        assertThat(token()).isEqualTo("of-environment");
        assertThat(token("--cluster", "prod")).isEqualTo("of-prod");
        assertThat(token("--cluster", "test")).isEqualTo("of-environment");
        String typed = folder.resolve("typed.token").toString();
        assertThat(token("--cluster", "prod", "--token-file", typed)).isEqualTo("typed");
    }

    @Test
    void theFileMayBeElsewhere() throws IOException {
        Path file = Files.writeString(folder.resolve("mine"), "a.url=elsewhere:7\n");
        environment.put("QUORATE_CLUSTERS", file.toString());
        assertThat(urls("--cluster", "a")).containsExactly("http://elsewhere:7");
        Files.delete(file);
        assertThatThrownBy(() -> urls("--cluster", "a"))
                .hasMessageContaining(file + " does not exist");
    }
}
