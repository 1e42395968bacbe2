package dev.quorate.cli.client;

import static dev.quorate.cli.client.PretendedNode.answer;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.SystemTicker;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** {@code status}, and options of {@code get}, {@code put}, {@code delete} and {@code scan}. */
final class OverviewAndOptionsTest {

    private static final String V = "01a1ffa680e10000-36c6c909";
    private static final String PAGE =
            """
            Quorate, seen from n1
            3 members, 3 copies of each key. Version 1.2, sockets: epoll.

            n1       http://10.0.0.1:8080          33.4 % of the ring  this node, ready
            n2       http://10.0.0.2:8080          33.2 % of the ring  up
            n3       http://10.0.0.3:8080          33.4 % of the ring  down
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private int run(String... arguments) {
        CommandLine commandLine = new CommandLine(CommandSpec.create().name("quorate"));
        new ClientCommands(
                        SystemTicker.INSTANCE,
                        new ByteArrayInputStream("typed".getBytes(UTF_8)),
                        bytes,
                        () -> false,
                        Map.of())
                .addTo(commandLine);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private static PretendedNode member(String name) throws IOException {
        return new PretendedNode(
                request ->
                        switch (request.target()) {
                            case "/" -> answer("200 OK", PAGE);
                            case "/metrics" -> answer("200 OK", metrics(name));
                            default -> answer("200 OK", "ready\n");
                        });
    }

    private static String metrics(String name) {
        double started = System.currentTimeMillis() / 1e3 - 3 * 3_600 - 60;
        return """
        quorate_build_info{io="epoll",node="%s",version="1.2"} 1
        process_start_time_seconds %.1f
        quorate_sstable_size_bytes 1073741824
        quorate_memtable_size_bytes 536870912
        quorate_disk_free_bytes 5e9
        quorate_repair_age_seconds{peer="x"} 60
        quorate_repair_age_seconds{peer="y"} 1260
        """
                .formatted(name, started);
    }

    @Test
    void theStatusIsATableAndSaysWhatFails() throws IOException {
        PretendedNode down = member("n3");
        down.close();
        try (PretendedNode one = member("n1");
                PretendedNode two = member("n2")) {
            String urls = String.join(",", one.url(), two.url(), down.url());
            assertThat(run("status", "--url", urls)).isEqualTo(1);
            assertThat(out.toString().lines().map(line -> line.replaceAll(" {2,}", "  ").strip()))
                    .satisfiesExactly(
                            line ->
                                    assertThat(line)
                                            .startsWith("node  state  name  version  up for"),
                            line ->
                                    assertThat(line)
                                            .isEqualTo(
                                                    one.url()
                                                            + "  ready  n1  1.2  3 h  33.4 %  1.5 GiB"
                                                            + "  4.7 GiB  21 min ago"),
                            line -> assertThat(line).startsWith(two.url() + "  ready  n2"),
                            line -> assertThat(line).startsWith(down.url() + "  not reached: "),
                            line ->
                                    assertThat(line)
                                            .isEqualTo(
                                                    "replicas=3/3 can fail now, for keys of "
                                                            + down.url()
                                                            + ". 2/3 succeeds."));
            assertThat(out.toString()).doesNotContain("\u001b");
            out.getBuffer().setLength(0);
            assertThat(run("status", "--json", "--url", one.url())).isZero();
            assertThat(out.toString()).contains("\"storedBytes\":1610612736", "\"name\":\"n1\"");
        }
    }

    @Test
    void operationsCanCountOnADrainedNode() throws IOException {
        String readiness = "failed serving: the node is drained until DELETE /admin/drain\n";
        try (PretendedNode one = member("n1");
                PretendedNode two = member("n2");
                PretendedNode drained =
                        new PretendedNode(
                                request ->
                                        request.target().equals("/readyz")
                                                ? answer("503 Service Unavailable", readiness)
                                                : answer("200 OK", PAGE))) {
            assertThat(
                            run(
                                    "status",
                                    "--url",
                                    String.join(",", one.url(), two.url(), drained.url())))
                    .isEqualTo(1);
            assertThat(out.toString())
                    .contains("not ready", "the node is drained", "All replicas of each key")
                    .doesNotContain("can fail");
        }
    }

    @Test
    void aReadIsLinearizableAndExplainsItself() throws IOException {
        try (PretendedNode node =
                new PretendedNode(
                        request ->
                                request.target().contains("id=none")
                                        ? answer(
                                                "404 Not Found",
                                                "{}",
                                                "X-Quorate-Replica: n2; answer=absent")
                                        : answer(
                                                "200 OK",
                                                "value",
                                                "X-Quorate-Version: " + V,
                                                "X-Quorate-Replica: n1; answer=value"))) {
            assertThat(run("get", "a", "--linearizable", "--url", node.url())).isZero();
            assertThat(node.asked.getLast().target()).contains("consistency=linearizable");
            String[] explained = {"get", "a b", "--linearizable", "--explain", "--url", node.url()};
            bytes.reset();
            assertThat(run(explained)).isZero();
            assertThat(bytes.toString(UTF_8)).isEqualTo("value");
            assertThat(err.toString()).containsIgnoringCase("X-Quorate-Replica: n1; answer=value");
            assertThat(node.asked.getLast().target())
                    .isEqualTo("/v0/entity?id=a%20b&explain=1&consistency=linearizable");
            assertThat(run("get", "none", "--explain", "--url", node.url())).isEqualTo(1);
            assertThat(err.toString()).contains("n2; answer=absent", "No such key.");
        }
    }

    @Test
    void aWriteHasAConditionAndAContentType() throws IOException {
        try (PretendedNode node =
                new PretendedNode(
                        request ->
                                request.target().contains("id=taken")
                                        ? answer(
                                                "412 Precondition Failed",
                                                "{}",
                                                "X-Quorate-Version: " + V)
                                        : answer("201 Created", "", "X-Quorate-Version: " + V))) {
            String[] put = {"put", "a", "v", "--if-absent", "--content-type", "text/plain"};
            assertThat(run(with(node, put))).isZero();
            assertThat(node.asked.getLast().headers())
                    .containsEntry("if-none-match", "*")
                    .containsEntry("content-type", "text/plain");
            assertThat(run(with(node, "put", "a", "v", "--if-match", V, "--ttl", "5m"))).isZero();
            assertThat(node.asked.getLast().headers()).containsEntry("if-match", "\"" + V + "\"");
            assertThat(node.asked.getLast().target()).contains("ttl=300");
            assertThat(run(with(node, "delete", "taken", "--if-match", "*"))).isEqualTo(4);
            assertThat(err.toString())
                    .contains("The condition does not hold, and nothing was stored", V);
        }
    }

    private static String[] with(PretendedNode node, String... words) {
        String[] all = java.util.Arrays.copyOf(words, words.length + 2);
        all[words.length] = "--url";
        all[words.length + 1] = node.url();
        return all;
    }

    @Test
    void aRangeHasAPrefixAndCanBeCounted() throws IOException {
        String lines = "{\"key\":\"YS8x\",\"version\":\"" + V + "\"}\n";
        try (PretendedNode node =
                new PretendedNode(
                        request ->
                                answer(
                                        "200 OK",
                                        request.target().endsWith("cursor=")
                                                ? lines + "{\"cursor\":\"c\"}\n"
                                                : lines.replace("YS8x", "YS8y")))) {
            String[] scan = {"scan", "--prefix", "a%2F", "--encoded", "--keys-only"};
            assertThat(run(with(node, scan))).as("%s", err).isZero();
            assertThat(out.toString().lines()).containsExactly("a%2F1", "a%2F2");
            assertThat(node.asked.getFirst().target()).contains("prefix=a%2F&keys=only");
            out.getBuffer().setLength(0);
        }
    }

    @Test
    void keysAreCountedByOneRequest() throws IOException {
        try (PretendedNode node = new PretendedNode(_ -> answer("200 OK", "{\"count\":2}\n"))) {
            assertThat(run(with(node, "scan", "--prefix", "a", "--count"))).as("%s", err).isZero();
            assertThat(out.toString().strip()).isEqualTo("2");
            out.getBuffer().setLength(0);
            assertThat(run(with(node, "scan", "--count", "--json"))).isZero();
            assertThat(out.toString().strip()).isEqualTo("{\"count\":2}");
            out.getBuffer().setLength(0);
            assertThat(run(with(node, "scan", "--count", "--limit", "1"))).isZero();
            assertThat(out.toString().strip()).isEqualTo("1");
            assertThat(node.asked)
                    .extracting(PretendedNode.Request::target)
                    .containsExactly(
                            "/v0/entities?count=true&prefix=a",
                            "/v0/entities?count=true&prefix=",
                            "/v0/entities?count=true&prefix=");
        }
        out.getBuffer().setLength(0);
        String problem = "{\"status\":504,\"detail\":\"Too few.\"}";
        for (String broken : new String[] {null, answer("504 Gateway Timeout", problem)}) {
            try (PretendedNode breaks = new PretendedNode(_ -> broken)) {
                assertThat(run(with(breaks, "scan", "--prefix", "a", "--count"))).isEqualTo(3);
                assertThat(out.toString()).as("no partial count").isEmpty();
            }
        }
    }

    @Test
    void theExpiryIsChangedAlone() throws IOException {
        String version = "X-Quorate-Version: " + V;
        try (PretendedNode node = new PretendedNode(_ -> answer("204 No Content", "", version))) {
            assertThat(run(with(node, "expire", "a", "--ttl", "5m"))).as("%s", err).isZero();
            assertThat(out.toString().strip()).isEqualTo(V);
            assertThat(run(with(node, "expire", "a", "--ttl", "none", "--if-match", V))).isZero();
            assertThat(node.asked)
                    .extracting(request -> request.method() + " " + request.target())
                    .containsExactly(
                            "PATCH /v0/entity?id=a&ttl=300", "PATCH /v0/entity?id=a&ttl=none");
            assertThat(node.asked.getFirst().headers()).containsEntry("if-match", "*");
            assertThat(node.asked.getLast().headers()).containsEntry("if-match", '"' + V + '"');
            for (String[] bad :
                    new String[][] {
                        {"expire", "a"},
                        {"expire", "a", "--ttl", "0"},
                        {"expire", "a", "--ttl", "1500ms"},
                        {"expire", "a", "--ttl", "4000d"},
                        {"expire", "a", "--ttl", "x"},
                        {"expire", "--ttl", "5m"}
                    }) {
                assertThat(run(with(node, bad))).as(String.join(" ", bad)).isEqualTo(2);
            }
            assertThat(node.asked).hasSize(2);
        }
        String problem = "Content-Type: application/problem+json";
        try (PretendedNode node =
                new PretendedNode(_ -> answer("404 Not Found", "{\"status\":404}", problem))) {
            assertThat(run(with(node, "expire", "a", "--ttl", "5m"))).isEqualTo(1);
            assertThat(err.toString()).contains("No such key.");
        }
        try (PretendedNode node =
                new PretendedNode(_ -> answer("412 Precondition Failed", "{}", problem, version))) {
            assertThat(run(with(node, "expire", "a", "--ttl", "5m", "--if-match", V))).isEqualTo(4);
        }
    }

    @Test
    void aRefusedTokenNamesTheOption() throws IOException {
        try (PretendedNode node =
                new PretendedNode(_ -> answer("401 Unauthorized", "{\"detail\":\"No token.\"}"))) {
            assertThat(run(with(node, "get", "a"))).isEqualTo(4);
            assertThat(run(with(node, "member", "list"))).isEqualTo(4);
            assertThat(run(with(node, "metrics"))).isEqualTo(3);
            assertThat(err.toString().split("--token-file FILE", -1)).hasSize(4);
            assertThat(run(with(node, "get", "a", "--json"))).isEqualTo(4);
            assertThat(err.toString()).contains("\"status\":401", "\"exit\":4");
        }
    }
}
