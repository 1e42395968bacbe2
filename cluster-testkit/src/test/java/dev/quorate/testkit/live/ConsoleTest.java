package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console of a real node: its page, what it shows at first, and its stream. */
final class ConsoleTest {

    private static final int TIMEOUT_MILLIS = 20_000;

    @TempDir private Path data;
    private final HttpClient client = HttpClient.newHttpClient();
    private NodesInOneProcess nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new NodesInOneProcess(data, 2);
    }

    @AfterEach
    void stop() {
        client.close();
        nodes.close();
    }

    private HttpResponse<String> get(String path, String accept) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(nodes.url(1) + path))
                        .timeout(Duration.ofSeconds(20))
                        .header("Accept", accept)
                        .build(),
                BodyHandlers.ofString());
    }

    @Test
    void aBrowserGetsThePageAndOthersGetText() throws Exception {
        HttpResponse<String> page = get("/", "text/html,application/xhtml+xml,*/*;q=0.8");
        assertThat(page.body()).startsWith("<!doctype html>");
        for (String accept : List.of("*/*", "text/plain")) {
            HttpResponse<String> text = get("/", accept);
            assertThat(text.headers().firstValue("content-type").orElseThrow())
                    .startsWith("text/plain");
            assertThat(text.body()).startsWith("Quorate, seen from n1\n2 members");
            assertThat(text.headers().firstValue("vary").orElseThrow()).contains("Accept");
        }
    }

    /** Nothing else runs or styles; nothing is fetched from elsewhere. */
    @Test
    void thePolicyNamesTheOneScriptAndTheOneStyle() throws Exception {
        HttpResponse<String> page = get("/", "text/html");
        String policy = page.headers().firstValue("content-security-policy").orElseThrow();
        assertThat(policy)
                .startsWith("default-src 'none'; ")
                .contains("connect-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe", "*");
        for (String tag : List.of("script", "style")) {
            Matcher text =
                    Pattern.compile("<" + tag + "[^>]*>(.*?)</" + tag + ">", Pattern.DOTALL)
                            .matcher(page.body());
            assertThat(text.find()).isTrue();
            byte[] hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(text.group(1).getBytes(StandardCharsets.UTF_8));
            assertThat(policy)
                    .contains(tag + "-src 'sha256-" + Base64.getEncoder().encodeToString(hash));
            assertThat(text.find()).as("a second " + tag).isFalse();
        }
        assertThat(page.body()).doesNotContain("src=", " style=", "onclick", "innerHTML");
    }

    @Test
    void thePageGetsTheRingAndTheSamples() throws Exception {
        JsonObject contents =
                JsonParser.parseString(get("/admin/console", "application/json").body())
                        .getAsJsonObject();
        assertThat(contents.get("node").getAsString()).isEqualTo("n1");
        assertThat(contents.getAsJsonArray("ring")).hasSize(720);
        List<Integer> periods = new ArrayList<>();
        for (JsonElement history : contents.getAsJsonArray("histories")) {
            periods.add(history.getAsJsonObject().get("period").getAsInt());
            assertThat(history.getAsJsonObject().getAsJsonObject("series").keySet())
                    .contains("gets", "put999", "peer99:n2", "clock:n2")
                    .doesNotContain("clock:n1");
        }
        assertThat(periods).containsExactly(5_000, 120_000);
    }

    /** A stream, read as a browser does. */
    private static final class Stream implements AutoCloseable {

        private final Socket socket;
        private final BufferedReader lines;
        private final List<String> head = new ArrayList<>();

        Stream(int port, String path) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream()
                    .write(
                            ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
            lines =
                    new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (String line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
                head.add(line);
            }
        }

        /** The data of the next message of each of these names; null at the end. */
        Map<String, JsonObject> next(String... names) throws IOException {
            Map<String, JsonObject> found = new HashMap<>();
            String name = "";
            while (!found.keySet().containsAll(List.of(names))) {
                String line = lines.readLine();
                if (line == null) {
                    return found;
                }
                if (line.startsWith("event: ")) {
                    name = line.substring("event: ".length());
                } else if (line.startsWith("data: ")) {
                    found.put(
                            name,
                            JsonParser.parseString(line.substring("data: ".length()))
                                    .getAsJsonObject());
                }
            }
            return found;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void theStreamShowsTheNodeAsItIs() throws Exception {
        try (EntityClient entities = new EntityClient(nodes.url(1));
                Stream stream = new Stream(nodes.port(1), "/admin/console/stream?since=0")) {
            assertThat(stream.head.getFirst()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(stream.head).contains("Content-Type: text/event-stream");
            Map<String, JsonObject> first = stream.next("event", "state");
            assertThat(first.get("state").getAsJsonArray("members")).hasSize(2);
            for (int i = 0; i < 20; i++) {
                assertThat(entities.put("key" + i, "value", "2/2").statusCode()).isEqualTo(201);
            }
            JsonObject sample = stream.next("sample").get("sample");
            assertThat(sample.getAsJsonArray("values").get(1).getAsDouble()).isPositive();
            nodes.stop(2);
            Awaitility.await().until(() -> stream.next("state").get("state").has("whyNotServing"));
            JsonObject peer =
                    stream.next("state")
                            .get("state")
                            .getAsJsonArray("members")
                            .get(1)
                            .getAsJsonObject();
            assertThat(peer.get("standing").getAsString()).isEqualTo("down");
            assertThat(get("/admin/console", "*/*").body()).contains("\"moments\":[1");
        }
    }

    /** Otherwise each open console would make a node wait for its drain timeout. */
    @Test
    void aNodeThatStopsEndsItsStreams() throws Exception {
        try (Stream stream = new Stream(nodes.port(1), "/admin/console/stream")) {
            assertThat(stream.next("state")).containsKey("state");
            long begun = System.nanoTime();
            nodes.stop(1);
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isLessThan(Duration.ofSeconds(4));
            assertThat(stream.next("never")).doesNotContainKey("never");
        }
    }

    @Test
    void aStreamUnderAnUnknownNameIsRefused() throws Exception {
        HttpResponse<String> answer = get("/admin/console/stream?since=x", "*/*");
        assertThat(answer.statusCode()).isEqualTo(400);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), nodes.port(1))) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream()
                    .write(
                            "GET /admin/console/stream HTTP/1.1\r\nHost: evil.example\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
            byte[] start = socket.getInputStream().readNBytes(12);
            assertThat(new String(start, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 421");
        }
    }
}
