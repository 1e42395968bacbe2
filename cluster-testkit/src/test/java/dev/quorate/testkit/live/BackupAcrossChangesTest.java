package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.Main;
import dev.quorate.cli.backup.BackupCommands;
import dev.quorate.cli.client.ClientCommands;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.storage.io.DiskFiles;
import dev.quorate.storage.io.StorageFiles;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Backups and exports of a cluster whose members change meanwhile. Each has every write that was
 * acknowledged before, and no deleted key, or there is none.
 */
final class BackupAcrossChangesTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int KEYS = 120;

    @TempDir Path data;
    private final NodeClient http = new NodeClient();
    private final List<NodesInOneProcess> clusters = new ArrayList<>();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @AfterEach
    void stop() {
        http.close();
        clusters.forEach(NodesInOneProcess::close);
    }

    /** A cluster of some of its nodes: the others may join it. */
    private NodesInOneProcess cluster(int members, int nodes) throws Exception {
        Path directory = data.resolve("cluster-" + clusters.size());
        NodesInOneProcess started = new NodesInOneProcess(directory, nodes, 1_000);
        clusters.add(started);
        String topology =
                Stream.of(started.topology().split(","))
                        .limit(members)
                        .collect(Collectors.joining(","));
        for (int node = 1; node <= members; node++) {
            started.start(node, topology);
        }
        for (int node = 1; node <= members; node++) {
            awaitPage(started, node, "\"epoch\":1,");
        }
        return started;
    }

    private String page(NodesInOneProcess nodes, int node) throws Exception {
        byte[] body = http.get(nodes.url(node) + "/admin/members").body();
        return new String(body, StandardCharsets.UTF_8);
    }

    private void awaitPage(NodesInOneProcess nodes, int node, String text) {
        await().atMost(SOON).untilAsserted(() -> assertThat(page(nodes, node)).contains(text));
    }

    /** Changes the members, and waits until each of the new ones has what it owns alone. */
    private void change(NodesInOneProcess nodes, int by, String body, int... members) {
        try {
            String epoch = page(nodes, by).replaceAll("(?s).*?\"epoch\":([0-9]+).*", "$1");
            HttpResponse<String> answer =
                    http.send(
                            NodeClient.request(nodes.url(by) + "/admin/members")
                                    .header("If-Match", "\"" + epoch + "\"")
                                    .POST(BodyPublishers.ofString(body))
                                    .build(),
                            BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            String last = "\"epoch\":" + (Integer.parseInt(epoch) + 2) + ",\"members\"";
            for (int member : members) {
                awaitPage(nodes, member, last);
                await().atMost(SOON)
                        .until(
                                () ->
                                        page(nodes, member).split("\"clean\":true", -1).length
                                                == members.length + 1);
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** From three members to five. */
    private void grow(NodesInOneProcess nodes) {
        try {
            nodes.start(4, nodes.topology());
            nodes.start(5, nodes.topology());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        String joins =
                IntStream.of(4, 5)
                        .mapToObj(
                                n -> "{\"name\":\"n%d\",\"url\":\"%s\"}".formatted(n, nodes.url(n)))
                        .collect(Collectors.joining(","));
        change(nodes, 1, "{\"add\":[" + joins + "]}", 1, 2, 3, 4, 5);
    }

    /** Keys with each number of copies; every fifth is deleted again. */
    private void write(NodesInOneProcess nodes) throws Exception {
        try (EntityClient client = new EntityClient(nodes.url(1))) {
            for (int i = 0; i < KEYS; i++) {
                String replicas = replicas(i);
                assertThat(client.put("key" + i, "value" + i, replicas).statusCode())
                        .isEqualTo(201);
                if (isDeleted(i)) {
                    assertThat(client.delete("key" + i, replicas).statusCode()).isEqualTo(202);
                }
            }
        }
    }

    private static String replicas(int key) {
        return List.of("1/1", "2/2", "2/3").get(key % 3);
    }

    private static boolean isDeleted(int key) {
        return key % 5 == 4;
    }

    private static List<String> expected() {
        return IntStream.range(0, KEYS)
                .filter(i -> !isDeleted(i))
                .mapToObj(i -> "key" + i + " value" + i)
                .sorted()
                .toList();
    }

    private static String decoded(String line, String field) {
        String base64 = line.replaceAll(".*\"" + field + "\":\"([^\"]*)\".*", "$1");
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    /** The entries in lines of NDJSON, without padding. */
    private static List<String> entries(String lines) {
        return lines.lines()
                .filter(line -> line.startsWith("{\"key\""))
                .map(line -> decoded(line, "key") + " " + decoded(line, "value").strip())
                .sorted()
                .toList();
    }

    private List<String> entries(NodesInOneProcess nodes) throws Exception {
        String url = nodes.url(1) + "/v0/entities?prefix=key";
        HttpResponse<String> range =
                http.send(
                        NodeClient.request(url).header("Accept", "application/x-ndjson").build(),
                        BodyHandlers.ofString());
        assertThat(range.statusCode()).isEqualTo(200);
        return entries(range.body());
    }

    /** Calls a hook before the n-th directory of a backup is created. */
    private static StorageFiles hooked(int directory, Runnable hook) {
        AtomicInteger created = new AtomicInteger();
        DiskFiles disk = new DiskFiles();
        return (StorageFiles)
                Proxy.newProxyInstance(
                        StorageFiles.class.getClassLoader(),
                        new Class<?>[] {StorageFiles.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("createPrivateDirectory")
                                    && created.incrementAndGet() == directory) {
                                hook.run();
                            }
                            try {
                                return method.invoke(disk, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private int run(StorageFiles files, OutputStream bytes, String... words) {
        CommandLine line = new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        ClientCommands clients =
                new ClientCommands(
                        SystemTicker.INSTANCE,
                        InputStream.nullInputStream(),
                        bytes,
                        () -> false,
                        Map.of());
        clients.addTo(line);
        new BackupCommands(files, SystemTicker.INSTANCE, _ -> {}).addTo(line, clients);
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return line.setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(words);
    }

    private int backup(NodesInOneProcess nodes, StorageFiles files, String name, int... members) {
        String urls = IntStream.of(members).mapToObj(nodes::url).collect(Collectors.joining(","));
        String folder = data.resolve("backups").toString();
        return run(
                files,
                OutputStream.nullOutputStream(),
                "backup",
                folder,
                "--name",
                name,
                "--url",
                urls);
    }

    private void assertRestored(String name, int members) throws Exception {
        NodesInOneProcess into = cluster(members, members);
        int exit =
                run(
                        new DiskFiles(),
                        OutputStream.nullOutputStream(),
                        "restore",
                        data.resolve("backups").toString(),
                        "--name",
                        name,
                        "--url",
                        into.url(1));
        assertThat(exit).as(err.toString()).isZero();
        assertThat(entries(into)).isEqualTo(expected());
    }

    /**
     * The members of before may have lost keys before their checkpoint, and the new ones have none.
     */
    @Test
    void membersThatChangeBeforeTheCheckpointsLeaveNoBackup() throws Exception {
        NodesInOneProcess nodes = cluster(3, 5);
        write(nodes);
        int exit = backup(nodes, hooked(1, () -> grow(nodes)), "first", 1, 2, 3);
        assertThat(exit).as(err.toString()).isEqualTo(3);
        assertThat(err.toString()).contains("the members have changed", "Run the command again");

        // After the checkpoints it does no harm.
        Runnable shrink = () -> change(nodes, 1, "{\"remove\":[\"n2\"]}", 1, 3, 4, 5);
        exit = backup(nodes, hooked(2, shrink), "second", 1, 2, 3, 4, 5);
        assertThat(exit).as(err.toString()).isZero();
        assertThat(out.toString()).contains("n1,n2,n3,n4,n5");
        assertRestored("second", 3);
    }

    @Test
    void membersChangeDuringAnExport() throws Exception {
        NodesInOneProcess nodes = cluster(3, 5);
        write(nodes);
        // More than sockets and pages take, so that most is read in the last epoch.
        String padding = " ".repeat(100_000);
        try (EntityClient client = new EntityClient(nodes.url(1))) {
            for (int i = 0; i < KEYS; i++) {
                if (!isDeleted(i)) {
                    String value = "value" + i + padding;
                    assertThat(client.put("key" + i, value, replicas(i)).statusCode())
                            .isEqualTo(201);
                }
            }
        }
        assertThat(backup(nodes, new DiskFiles(), "before", 1, 2, 3)).as(err.toString()).isZero();
        ByteArrayOutputStream lines =
                new ByteArrayOutputStream() {
                    @Override
                    public synchronized void write(byte[] bytes, int from, int count) {
                        if (size() == 0) {
                            grow(nodes);
                        }
                        super.write(bytes, from, count);
                    }
                };
        int exit =
                run(
                        new DiskFiles(),
                        lines,
                        "export",
                        "--replicas",
                        "3/3",
                        "--url",
                        nodes.url(1) + "," + nodes.url(2));
        assertThat(exit).as(err.toString()).isZero();
        assertThat(entries(lines.toString(StandardCharsets.UTF_8))).isEqualTo(expected());
        nodes.close();
        assertRestored("before", 4);
    }

    /** What only the lost members had returns from their backup. */
    @Test
    void aBackupIsMergedAfterALossOfTheMajority() throws Exception {
        NodesInOneProcess nodes = cluster(3, 3);
        nodes.stop(3);
        try (EntityClient client = new EntityClient(nodes.url(1))) {
            for (int i = 0; i < KEYS; i++) {
                assertThat(client.put("key" + i, "value" + i, "2/3").statusCode()).isEqualTo(201);
                if (isDeleted(i)) {
                    assertThat(client.delete("key" + i, "2/3").statusCode()).isEqualTo(202);
                }
            }
        }
        String folder = data.resolve("backups").toString();
        String urls = nodes.url(1) + "," + nodes.url(2);
        int exit =
                run(
                        new DiskFiles(),
                        OutputStream.nullOutputStream(),
                        "backup",
                        folder,
                        "--without",
                        "n3",
                        "--url",
                        urls);
        assertThat(exit).as(err.toString()).isZero();
        nodes.stop(1);
        nodes.stop(2);
        String n3 = data.resolve("cluster-0").resolve("n3").toString();
        exit =
                Main.commandLine(Map.of())
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(err))
                        .execute("topology", "force", n3, "--without", "n1,n2", "--accept-loss");
        assertThat(exit).as(err.toString()).isZero();
        nodes.start(3, "n3=" + nodes.url(3));
        try (EntityClient client = new EntityClient(nodes.url(3))) {
            await().atMost(SOON).until(() -> client.get("key0", "1/1").statusCode() == 404);
            exit =
                    run(
                            new DiskFiles(),
                            OutputStream.nullOutputStream(),
                            "restore",
                            folder,
                            "--merge",
                            "--replicas",
                            "1/1",
                            "--url",
                            nodes.url(3));
            assertThat(exit).as(err.toString()).isZero();
            for (int i = 0; i < KEYS; i++) {
                HttpResponse<String> got = client.get("key" + i, "1/1");
                assertThat(got.statusCode()).as("key%s", i).isEqualTo(isDeleted(i) ? 404 : 200);
            }
        }
    }
}
