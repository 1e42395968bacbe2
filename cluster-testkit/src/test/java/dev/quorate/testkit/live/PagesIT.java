package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.harness.page.Block;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of pages, as they are printed there but for the ports, and what they print. */
final class PagesIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir Path scratch;

    /** Its comments say what is printed. */
    @Test
    void readme() throws Exception {
        try (PageRun run = new PageRun("README.md", scratch)) {
            List<Block> blocks = run.page().run();
            assertThat(blocks).hasSize(2);
            run.run(blocks.getFirst());
            assertThat(run.run(blocks.getLast()))
                    .containsSubsequence(
                            "HTTP/1.1 201 ", "n3 is killed.", "hello", "HTTP/1.1 504 ", "hello");
        }
    }

    @Test
    void http() throws Exception {
        withACluster("docs/http.md");
    }

    @Test
    void why() throws Exception {
        withACluster("docs/why.md");
    }

    @Test
    void commandLine() throws Exception {
        withACluster("docs/command-line.md");
    }

    @Test
    void testing() throws Exception {
        try (PageRun run = new PageRun("docs/testing.md", scratch)) {
            run.all();
        }
    }

    /** The data of three nodes, which do not run. */
    @Test
    void movingData() throws Exception {
        try (PageRun run = new PageRun("docs/moving-data.md", scratch)) {
            run.prepare("./quorate up --detach\n./quorate put a b\n./quorate down\n");
            run.all();
            assertThat(run.prepare("./quorate get a --url http://127.0.0.1:8183\n")).isEqualTo("b");
        }
    }

    /** The machine db1.example is this one. */
    @Test
    void security() throws Exception {
        try (PageRun run = new PageRun("docs/security.md", scratch)) {
            run.with("db1.example", "localhost").with("10.0.0.1", "127.0.0.1");
            run.section("Tokens");
            run.prepare("./quorate down\nhead -c 24 /dev/urandom | base64 >secret\n");
            Files.writeString(
                    run.working().resolve("node.properties"),
                    run.here(
                            """
                            name=n1
                            topology=n1=http://10.0.0.1:8080
                            data=data
                            secret-file=secret
                            token-file=tokens
                            """));
            run.section("TLS");
            aCertificateEnds(run);
        }
    }

    /** As docs/operations.md has it: the file is replaced, and the node is not restarted. */
    private static void aCertificateEnds(PageRun run) throws Exception {
        String sign =
                "openssl x509 -req -in n1.csr -CA ca.pem -CAkey ca.key -extfile n1.ext"
                        + " -days %d -out next.pem 2>sign.out && mv next.pem n1.pem%n";
        String doctor =
                "./quorate doctor --url https://db1.example:8080 --ca ca.pem --token-file ops.token\n";
        assertThat(run.output(doctor)).contains("nothing is wrong");
        run.prepare(sign.formatted(1));
        await().atMost(LIMIT)
                .untilAsserted(
                        () -> assertThat(run.output(doctor)).contains("#a-certificate-ends"));
        run.prepare(sign.formatted(365));
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(run.output(doctor)).contains("nothing is wrong"));
    }

    private void withACluster(String page) throws Exception {
        try (PageRun run = new PageRun(page, scratch)) {
            run.prepare("./quorate up --detach\n");
            run.all();
        }
    }
}
