package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.process.Command;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.Range;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The largest value under the longest key passes every path, in the default heap. */
final class LargestValuesIT {

    private static final Path QUORATE = Path.of(System.getProperty("quorate.root"), "quorate");
    private static final int VALUE_BYTES = 16 << 20;
    private static final String KEY = "k".repeat(1024);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /**
     * A busy machine may take seconds for 16 MiB on three disks. A member that lost its disk waits
     * this long for writes in progress before it votes.
     */
    private static final List<String> PATIENT = List.of("--request-timeout", "12s");

    @TempDir Path scratch;
    private final NodeClient client = new NodeClient();
    private Path value;

    @Test
    void theLargestValuePassesEveryPath() throws Exception {
        byte[] bytes = new byte[VALUE_BYTES];
        new SplittableRandom(1).nextBytes(bytes);
        value = Files.write(scratch.resolve("value"), bytes);
        try (client;
                FaultyProcesses cluster = new FaultyProcesses(QUORATE, scratch, 3)) {
            cluster.up(PATIENT);
            put(cluster.url());
            requireValue(cluster.url("n2") + "/v0/entity?id=" + KEY + "&replicas=3/3");
            ranges(cluster.url());
            transfers(cluster);
            returns(cluster);
            javaClient(cluster.url());
        }
    }

    /** With nothing else set; the test above has 128 MiB. */
    @ParameterizedTest
    @CsvSource({"64m, 8", "1g, 16"})
    void theHeapAloneDecidesHowLongAValueMayBe(String heap, int mebibytes) throws Exception {
        String port = "" + ProcessCluster.freePorts(1);
        String data = scratch.resolve("data").toString();
        String base = "http://127.0.0.1:" + port;
        run("up", "--nodes", "1", "--heap", heap, "--port", port, "--data", data, "--detach");
        try (client) {
            value = Files.write(scratch.resolve("value"), new byte[mebibytes << 20]);
            put(base);
            requireValue(base + "/v0/entity?id=" + KEY);
            assertThat(Files.size(read(base + "/v0/entities?prefix=")))
                    .isEqualTo(KEY.length() + 1 + Files.size(value));
            Files.write(value, new byte[1], StandardOpenOption.APPEND);
            assertThat(statusOfPut(base)).isEqualTo(413);
        } finally {
            run("down", "--data", data);
        }
    }

    private void put(String base) throws Exception {
        assertThat(statusOfPut(base)).isEqualTo(201);
    }

    private int statusOfPut(String base) throws Exception {
        HttpRequest request =
                NodeClient.request(base + "/v0/entity?id=" + KEY)
                        .timeout(LIMIT)
                        .PUT(BodyPublishers.ofFile(value))
                        .build();
        return client.sendAsync(request, BodyHandlers.ofString())
                .get(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .statusCode();
    }

    private Path read(String url, String... headers) throws Exception {
        HttpRequest.Builder request = NodeClient.request(url).timeout(LIMIT);
        if (headers.length > 0) {
            request.headers(headers);
        }
        Path to = scratch.resolve("answer");
        Files.deleteIfExists(to);
        HttpResponse<Path> answer =
                client.sendAsync(request.build(), BodyHandlers.ofFile(to))
                        .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(answer.statusCode()).as(url).isEqualTo(200);
        return to;
    }

    private void requireValue(String url) throws Exception {
        assertThat(Files.mismatch(read(url), value)).as(url).isEqualTo(-1);
    }

    private void ranges(String base) throws Exception {
        for (String query :
                List.of(
                        "start=k",
                        "prefix=",
                        "prefix=k&reverse=1",
                        "prefix=k&scope=node",
                        "prefix=k&replicas=3/3")) {
            String url = base + "/v0/entities?" + query;
            assertThat(Files.size(read(url))).as(query).isEqualTo(KEY.length() + 1 + VALUE_BYTES);
        }
        for (String type : List.of("application/json", "application/x-ndjson")) {
            Path range = read(base + "/v0/entities?prefix=", "Accept", type);
            assertThat(Files.size(range)).as(type).isGreaterThan(VALUE_BYTES);
        }
        for (String[] plain :
                new String[][] {
                    {"prefix=k&reverse=1", "application/json"},
                    {"prefix=k&replicas=3/3", "application/x-ndjson"}
                }) {
            Path range = read(base + "/v0/entities?" + plain[0], "Accept", plain[1]);
            assertThat(Files.size(range)).as(plain[0]).isGreaterThan(VALUE_BYTES);
        }
        Path page =
                read(base + "/v0/entities?prefix=k&limit=5&cursor=", "Accept", "application/json");
        assertThat(Files.size(page)).isGreaterThan(VALUE_BYTES);
        assertThat(Files.size(read(base + "/v0/entities?prefix=k&keys=only")))
                .isEqualTo(KEY.length() + 1);
    }

    /** Out of the cluster and into it again, by the commands. */
    private void transfers(FaultyProcesses cluster) throws Exception {
        String urls = String.join(",", urls(cluster));
        run("scan", "--json", "--url", urls);
        assertThat(Files.size(scratch.resolve("out"))).isGreaterThan(VALUE_BYTES);
        run("export", "--file", scratch.resolve("export").toString(), "--url", urls);
        String backups = scratch.resolve("backups").toString();
        run("backup", backups, "--name", "one", "--url", urls);
        run("verify", backups + "/one");
        cluster.down();
        for (int node = 1; node <= 3; node++) {
            cluster.loseData("n" + node);
        }
        cluster.up(PATIENT);
        run("import", "--file", scratch.resolve("export").toString(), "--url", urls);
        requireValue(cluster.url() + "/v0/entity?id=" + KEY);
        run("restore", backups, "--name", "one", "--merge", "--url", urls);
        requireValue(cluster.url() + "/v0/entity?id=" + KEY);
    }

    private static List<String> urls(FaultyProcesses cluster) {
        return Stream.of("n1", "n2", "n3").map(cluster::url).toList();
    }

    private void run(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(QUORATE.toString()));
        command.addAll(List.of(words));
        Path out = scratch.resolve("out");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();
        assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as("%s: %s", words[0], beginning(out)).isZero();
    }

    private static String beginning(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(500), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    /** To a member that missed it, by a hint or a repair; and to one that has lost its disk. */
    private void returns(FaultyProcesses cluster) throws Exception {
        cluster.kill("n3");
        put(cluster.url());
        cluster.start("n3");
        awaitStored(cluster.url("n3"));
        cluster.kill("n2");
        cluster.loseData("n2");
        cluster.start("n2");
        awaitStored(cluster.url("n2"));
        Command.Result repaired =
                new Command(scratch.resolve("repair.out"))
                        .run(
                                Stream.concat(
                                                Stream.of(QUORATE.toString(), "repair"),
                                                urls(cluster).stream())
                                        .toList(),
                                LIMIT);
        assertThat(repaired.exit()).as(repaired.output()).isZero();
    }

    private void awaitStored(String base) {
        await().atMost(LIMIT)
                .ignoreExceptions()
                .untilAsserted(
                        () -> {
                            Path own = read(base + "/v0/entities?prefix=k&scope=node");
                            assertThat(Files.size(own)).isGreaterThan(VALUE_BYTES);
                        });
        requireSame(base);
    }

    private void requireSame(String base) {
        await().atMost(LIMIT)
                .ignoreExceptions()
                .untilAsserted(() -> requireValue(base + "/v0/entity?id=" + KEY));
    }

    private static void javaClient(String url) {
        try (QuorateClient quorate = QuorateClient.connect(url)) {
            assertThat(quorate.get(KEY).orElseThrow().value()).hasSize(VALUE_BYTES);
            assertThat(quorate.entries(Range.withPrefix(Key.of("k")).keysOnly()).count())
                    .isEqualTo(1);
        }
    }
}
