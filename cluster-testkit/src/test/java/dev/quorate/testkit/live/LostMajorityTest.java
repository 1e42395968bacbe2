package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code topology force}, on the files of a node that was a member of three. */
final class LostMajorityTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir Path data;
    private final NodeClient http = new NodeClient();
    private NodesInOneProcess nodes;

    private record Run(int exit, String out, String err) {}

    @BeforeEach
    void start() throws Exception {
        nodes = new NodesInOneProcess(data, 3);
        try (EntityClient n1 = new EntityClient(nodes.url(1))) {
            for (int i = 0; i < 20; i++) {
                assertThat(n1.put("key " + i, "value", "3/3").statusCode()).isEqualTo(201);
            }
        }
    }

    @AfterEach
    void stop() {
        http.close();
        nodes.close();
    }

    private static Run force(Path directory, String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] all = new String[words.length + 3];
        all[0] = "topology";
        all[1] = "force";
        all[2] = directory.toString();
        System.arraycopy(words, 0, all, 3, words.length);
        int exit =
                Main.commandLine(Map.of())
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(err))
                        .execute(all);
        return new Run(exit, out.toString(), err.toString());
    }

    private String ring(int node) throws IOException {
        return new String(http.get(nodes.url(node) + "/v0/ring").body(), StandardCharsets.UTF_8);
    }

    @Test
    void theMemberThatIsLeftGoesOnAlone() throws Exception {
        for (int node = 1; node <= 3; node++) {
            nodes.stop(node);
        }
        Path n3 = data.resolve("n3");
        String before = Files.readString(n3.resolve("topology"));
        Run shown = force(n3, "--without", "n1,n2");
        assertThat(shown.exit()).as(shown.err()).isZero();
        assertThat(shown.out())
                .contains("that only n1 and n2 acknowledged")
                .contains("Nothing was changed.");
        assertThat(n3.resolve("topology")).hasContent(before);

        Run done = force(n3, "--without", "n1,n2", "--accept-loss");
        assertThat(done.exit()).as(done.err()).isZero();
        String alone = "n3=" + nodes.url(3);
        assertThat(done.out())
                .contains("Epoch 1001 is recorded.")
                .contains("topology=" + alone + " and replication-factor=1.");
        nodes.start(3, alone);
        try (EntityClient client = new EntityClient(nodes.url(3))) {
            await().atMost(SOON).until(() -> client.get("key 0", "1/1").statusCode() == 200);
            for (int i = 0; i < 20; i++) {
                assertThat(client.get("key " + i, "1/1").body()).isEqualTo("value");
            }
            assertThat(client.put("after", "value", "1/1").statusCode()).isEqualTo(201);

            // The lost ones are still the old cluster, and the two change nothing of each other.
            nodes.start(1);
            nodes.start(2);
            try (EntityClient n1 = new EntityClient(nodes.url(1))) {
                await().atMost(SOON).until(() -> n1.get("key 0", "2/3").statusCode() == 200);
                assertThat(n1.put("there", "value", "3/3").statusCode()).isEqualTo(504);
            }
            assertThat(ring(1)).contains("\"epoch\":1,");
            assertThat(ring(3)).contains("\"epoch\":1001,");
            assertThat(client.get("there", "1/1").statusCode()).isEqualTo(404);
            assertThat(client.get("after", "1/1").body()).isEqualTo("value");
        }
    }

    @Test
    void anIncompleteSurvivorIsNamed() throws Exception {
        for (int node = 1; node <= 3; node++) {
            nodes.stop(node);
        }
        Path n3 = data.resolve("n3");
        assertThat(force(n3, "--without", "n1,n2").out()).doesNotContain("trust-empty-disk");
        Files.delete(n3.resolve("settled"));
        nodes.start(3);
        nodes.stop(3);
        assertThat(force(n3, "--without", "n1,n2").out())
                .contains("it starts only with trust-empty-disk=true");
    }

    @Test
    void aChangeThatWouldLoseMoreIsRefused() {
        Path n3 = data.resolve("n3");
        Run running = force(n3, "--without", "n1,n2", "--accept-loss");
        assertThat(running.exit()).isEqualTo(2);
        assertThat(running.err()).contains("is in use: stop the node first");
        nodes.stop(3);
        assertThat(force(n3, "--without", "n1", "--accept-loss").err())
                .contains("A majority of the members is left");
        assertThat(force(n3, "--without", "n1,n4", "--accept-loss").err())
                .contains("The cluster has no member 'n4'.");
        assertThat(force(n3, "--without", "n1,n3", "--accept-loss").err())
                .contains("This is the directory of n3 itself.");
        assertThat(force(data, "--without", "n1,n2", "--accept-loss").err())
                .contains("This is not the data directory of a member.");
        assertThat(force(n3, "--accept-loss").exit()).isEqualTo(2);
    }
}
