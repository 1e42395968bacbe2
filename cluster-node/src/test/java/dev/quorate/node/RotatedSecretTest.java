package dev.quorate.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.node.config.Secret;
import dev.quorate.node.http.connection.RawClient;
import dev.quorate.router.message.FrameHeader;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.Pass;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.storage.io.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Three nodes whose secret is replaced while a client uses them. */
final class RotatedSecretTest {

    private static final String OLD = "the secret before";
    private static final String NEW = "the secret after it";

    @TempDir private Path folder;
    private final List<ClusterNode> nodes = new ArrayList<>();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private int port;

    @BeforeEach
    void start() throws IOException {
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        root().addAppender(log);
        port = FreePorts.inARow(6);
        for (int node = 1; node <= 3; node++) {
            PrivateFile.replace(file(node), bytes(OLD + "\n"));
            nodes.add(ClusterNode.start(OptionsReader.read(options(node)), why -> {}));
        }
        await().until(() -> nodes.stream().allMatch(ClusterNode::votes));
    }

    @AfterEach
    void stop() {
        nodes.forEach(ClusterNode::stop);
        root().detachAppender(log);
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private Path file(int node) {
        return folder.resolve("secret" + node);
    }

    private int port(int node) {
        return port + 2 * (node - 1);
    }

    private Map<String, String> options(int node) {
        Map<String, String> texts = new TreeMap<>();
        texts.put("name", "n" + node);
        texts.put(
                "topology",
                "n1=http://127.0.0.1:%d,n2=http://127.0.0.1:%d,n3=http://127.0.0.1:%d"
                        .formatted(port(1), port(2), port(3)));
        texts.put("data", folder.resolve("data" + node).toString());
        texts.put("secret-file", file(node).toString());
        texts.put("peer-port-offset", "1");
        texts.put("reserved-disk-bytes", "0");
        texts.put("durability", "async");
        texts.put("request-timeout", "20s");
        return texts;
    }

    private RawClient.Answer ask(int node, String request, String head, String body)
            throws IOException {
        try (RawClient client = new RawClient(port(node))) {
            client.send(
                    "%s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n%s"
                            .formatted(request, head, body.length(), body));
            return client.read(false);
        }
    }

    private int status(int node, String request, String body) throws IOException {
        return ask(node, request, "", body).status();
    }

    /** Replaces the file of one node after the other, and waits for each. */
    private void change(String text, int... order) throws IOException {
        for (int node : order) {
            PrivateFile.replace(file(node), bytes(text));
            String shown =
                    "n%d %s\n".formatted(node, String.join(" ", new Secret(text).fingerprints()));
            await().until(() -> ask(node, "GET /admin/secret", "", "").text().equals(shown));
        }
    }

    /** The status of an exchange with a pass of that secret, for another topology. */
    private int statusOfPass(int node, String secret) throws IOException {
        FrameHeader header =
                new FrameHeader(FrameHeader.Kind.REQUESTS, Lane.READ, 1, 2, 3, 4, 5, 6, 1000);
        byte[] pass = PeerCodec.encodeRequests(header, List.of(), new Secret(secret).seal());
        try (RawClient client = new RawClient(port(node) + 1)) {
            client.send(
                    "GET %s HTTP/1.1\r\nHost: localhost\r\n%s: %s\r\n\r\n"
                            .formatted(PeerCodec.PATH, Pass.HEADER, Pass.text(pass)));
            return client.read(false).status();
        }
    }

    @Test
    void noRequestFailsAndTheOldSecretIsRefusedAfterwards() throws Exception {
        Queue<String> failed = new ConcurrentLinkedQueue<>();
        AtomicInteger done = new AtomicInteger();
        AtomicBoolean ends = new AtomicBoolean();
        Thread client =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (int i = 0; !ends.get(); i++) {
                                        use(i, failed);
                                        done.set(i);
                                    }
                                });
        try {
            await().until(() -> done.get() > 10);
            change(OLD + "\n" + NEW + "\n", 1, 3, 2);
            change(NEW + "\n" + OLD + "\n", 3, 2, 1);
            assertThat(statusOfPass(1, OLD)).isEqualTo(409);
            change(NEW + "\n", 2, 1, 3);
            int now = done.get();
            await().until(() -> done.get() > now + 10);
        } finally {
            ends.set(true);
            client.join();
        }
        assertThat(failed).isEmpty();
        for (int node = 1; node <= 3; node++) {
            assertThat(ask(node, "GET /metrics", "", "").text())
                    .contains("quorate_peer_requests_refused_total{reason=\"seal\"} 0.0")
                    .doesNotContain("quorate_tls_certificate");
            assertThat(status(node, "GET /v0/entity?id=a&replicas=3/3", "")).isEqualTo(200);
            assertThat(statusOfPass(node, OLD)).isEqualTo(403);
            assertThat(statusOfPass(node, NEW)).isEqualTo(409);
        }
    }

    private void use(int i, Queue<String> failed) {
        int node = i % 3 + 1;
        try {
            int put = status(node, "PUT /v0/entity?id=a&replicas=2/3", "v" + i);
            RawClient.Answer got = ask(i % 2 + 1, "GET /v0/entity?id=a&replicas=2/3", "", "");
            if ((put != 201 && put != 204) || !got.text().equals("v" + i)) {
                failed.add("%d: n%d %d, %d %s".formatted(i, node, put, got.status(), got.text()));
            }
        } catch (IOException e) {
            failed.add(i + ": " + e);
        }
    }

    @Test
    void aBadFileLeavesTheSecretAndDoesNotStart() throws Exception {
        PrivateFile.replace(file(1), bytes(OLD + "\n" + OLD + "\n"));
        String line =
                "Cannot reload secret-file; keeping the previous contents: "
                        + file(1)
                        + " must have one line, or two different ones while the secret is rotated.";
        await().until(
                        () ->
                                log.list.stream()
                                        .anyMatch(each -> each.getFormattedMessage().equals(line)));
        assertThat(status(1, "PUT /v0/entity?id=a&replicas=3/3", "v")).isEqualTo(201);
        assertThatThrownBy(() -> OptionsReader.read(options(1)))
                .hasMessageContaining("secret-file must have one line, or two different ones");
        String seal = new Secret(OLD).sealOfJoin("*", "");
        change(NEW + "\n" + OLD + "\n", 1);
        String head = "If-Match: *\r\n" + Secret.JOIN_SEAL + ": " + seal + "\r\n";
        assertThat(ask(1, "POST /v0/join", head, "").status()).isEqualTo(200);
    }
}
