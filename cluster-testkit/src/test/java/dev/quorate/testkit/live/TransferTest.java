package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.client.ClientCommands;
import dev.quorate.router.runtime.SystemTicker;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Entries go from one real cluster to another by {@code export} and {@code import}. */
final class TransferTest {

    private static final String OLD = "01900000000a0000-36c6c909";

    @TempDir Path data;
    private final HttpClient client = HttpClient.newHttpClient();
    private final StringWriter err = new StringWriter();
    private NodesInOneProcess from;
    private NodesInOneProcess to;

    @BeforeEach
    void start() throws Exception {
        from = new NodesInOneProcess(data.resolve("from"), 3);
        to = new NodesInOneProcess(data.resolve("to"), 3);
    }

    @AfterEach
    void stop() {
        client.close();
        from.close();
        to.close();
    }

    private int run(NodesInOneProcess nodes, String... arguments) {
        CommandLine commandLine =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        new ClientCommands(
                        SystemTicker.INSTANCE,
                        InputStream.nullInputStream(),
                        new ByteArrayOutputStream(),
                        () -> false,
                        Map.of())
                .addTo(commandLine);
        commandLine.setErr(new PrintWriter(err, true));
        String[] all = new String[arguments.length + 2];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = "--url";
        all[arguments.length + 1] = nodes.url(1) + "," + nodes.url(2) + "," + nodes.url(3);
        return commandLine.execute(all);
    }

    private HttpResponse<String> send(
            NodesInOneProcess nodes, String method, String target, String body, String... headers)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(nodes.url(1) + target))
                        .method(method, BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private void put(NodesInOneProcess nodes, String key, String value, String... headers)
            throws Exception {
        assertThat(send(nodes, "PUT", "/v0/entity?id=" + key, value, headers).statusCode())
                .isEqualTo(201);
    }

    private List<String> lines(NodesInOneProcess nodes) throws Exception {
        return send(nodes, "GET", "/v0/entities?prefix=", "", "Accept", "application/x-ndjson")
                .body()
                .lines()
                .toList();
    }

    private static String withoutVersion(String line) {
        return line.replaceAll(",\"version\":\"[^\"]*\"", "");
    }

    @Test
    void whatIsImportedIsWhatWasExported() throws Exception {
        for (int i = 0; i < 700; i++) {
            put(from, "k" + i, "value " + i);
        }
        put(from, "%00%FF", "binary", "Content-Type", "text/plain;a=\"b\"");
        put(from, "brief&ttl=5000", "x");
        put(from, "long", "x".repeat(1_500_000), "Content-Type", "text/long");
        send(from, "DELETE", "/v0/entity?id=k7", "");
        put(from, "conditional", "c", "If-None-Match", "*");
        Path file = data.resolve("export");
        from.stop(1);
        assertThat(run(from, "export", "--file", file.toString())).as(err.toString()).isZero();
        from.start(1);

        to.stop(1);
        assertThat(run(to, "import", "--file", file.toString())).as(err.toString()).isZero();
        to.start(1);
        List<String> lines = Files.readAllLines(file);
        List<String> exported = lines.subList(0, lines.size() - 1);
        List<String> imported =
                org.awaitility.Awaitility.await()
                        .ignoreExceptions()
                        .until(() -> lines(to), each -> each.size() == exported.size());
        for (int i = 0; i < exported.size(); i++) {
            boolean isConditional = exported.get(i).matches(".*-[0-9a-f]{8}-[0-9a-f]{16}\"}");
            assertThat(isConditional ? withoutVersion(imported.get(i)) : imported.get(i))
                    .isEqualTo(isConditional ? withoutVersion(exported.get(i)) : exported.get(i));
        }

        put(to, "k1", "newer");
        send(to, "DELETE", "/v0/entity?id=k2", "");
        List<String> before = lines(to);
        assertThat(run(to, "import", "--file", file.toString())).as(err.toString()).isZero();
        assertThat(lines(to)).isEqualTo(before);
    }

    @Test
    void anOldEntryIsStoredOnlyIfItsKeyHasNoValue() throws Exception {
        put(to, "b", "stays");
        String line =
                "{\"key\":\"%s\",\"value\":\"b2xk\",\"contentType\":\"a/b\",\"version\":\"%s\"}";
        Path file = data.resolve("old");
        Files.write(
                file,
                List.of(
                        line.formatted("YQ==", OLD),
                        line.formatted("Yg==", OLD),
                        "{\"entries\":2}"));
        for (int i = 0; i < 2; i++) {
            assertThat(run(to, "import", "--file", file.toString())).as(err.toString()).isZero();
            HttpResponse<String> stored = send(to, "GET", "/v0/entity?id=a", "");
            assertThat(stored.body()).isEqualTo("old");
            assertThat(stored.headers().firstValue("content-type")).hasValue("a/b");
            assertThat(send(to, "GET", "/v0/entity?id=b", "").body()).isEqualTo("stays");
        }
        assertThat(err.toString())
                .contains("1 entries stored, 1 omitted", "0 entries stored, 2 omitted");
    }
}
