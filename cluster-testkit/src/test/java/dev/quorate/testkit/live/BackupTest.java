package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.backup.BackupCommands;
import dev.quorate.cli.client.ClientCommands;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.io.DiskFiles;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A real cluster is copied by {@code backup} and written into others by {@code restore}. */
final class BackupTest {

    @TempDir Path data;
    private final HttpClient client = HttpClient.newHttpClient();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<NodesInOneProcess> clusters = new ArrayList<>();
    private NodesInOneProcess cluster;
    private Path folder;
    private StorageFiles files = new DiskFiles();

    @BeforeEach
    void start() throws IOException {
        folder = data.resolve("backups");
        cluster = cluster(3);
    }

    @AfterEach
    void stop() {
        client.close();
        clusters.forEach(NodesInOneProcess::close);
    }

    private NodesInOneProcess cluster(int nodes) throws IOException {
        NodesInOneProcess started =
                new NodesInOneProcess(data.resolve("cluster-" + clusters.size()), nodes);
        clusters.add(started);
        return started;
    }

    private static String urls(NodesInOneProcess nodes, int count) {
        return String.join(
                ",", Stream.iterate(1, n -> n + 1).limit(count).map(nodes::url).toList());
    }

    private int run(NodesInOneProcess nodes, int count, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--url", urls(nodes, count)));
        return commandLine().execute(all.toArray(String[]::new));
    }

    private CommandLine commandLine() {
        CommandLine commandLine =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        ClientCommands clients =
                new ClientCommands(
                        SystemTicker.INSTANCE,
                        InputStream.nullInputStream(),
                        new ByteArrayOutputStream(),
                        () -> false,
                        Map.of());
        new BackupCommands(files, SystemTicker.INSTANCE, _ -> {}).addTo(commandLine, clients);
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    }

    private int backup(String name, String... more) {
        List<String> all = new ArrayList<>(List.of("backup", folder.toString(), "--name", name));
        all.addAll(List.of(more));
        return run(cluster, 3, all.toArray(String[]::new));
    }

    private int restore(NodesInOneProcess into, String... more) {
        List<String> all = new ArrayList<>(List.of("restore", folder.toString()));
        all.addAll(List.of(more));
        return run(into, 1, all.toArray(String[]::new));
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

    private String get(NodesInOneProcess nodes, String key) throws Exception {
        return send(nodes, "GET", "/v0/entity?id=" + key, "").body();
    }

    /** All but the one that expires; without their versions and the moments of their expiry. */
    private List<String> entries(NodesInOneProcess nodes) throws Exception {
        HttpResponse<String> range =
                Awaitility.await()
                        .until(
                                () ->
                                        send(
                                                nodes,
                                                "GET",
                                                "/v0/entities?prefix=",
                                                "",
                                                "Accept",
                                                "application/x-ndjson"),
                                answer -> answer.statusCode() == 200);
        return range.body()
                .lines()
                .filter(line -> !line.contains("Z29uZQ==")) // gone
                .map(line -> line.replaceAll(",\"(version|expires)\":\"?[^\",]*\"?", ""))
                .toList();
    }

    /** Everything that an entry can have. */
    private void putOfEachKind() throws Exception {
        for (int i = 0; i < 700; i++) {
            put(cluster, "k" + i, "value " + i);
        }
        put(cluster, "%00%FF", "binary", "Content-Type", "text/plain;a=\"b\"");
        put(cluster, "%FF%FF%FF%FF%FF%FF%FF%FF%FF%FF", "of the keyspaces");
        put(cluster, "brief&ttl=5000", "x");
        put(cluster, "gone&ttl=1", "x");
        put(cluster, "long", "x".repeat(1_500_000), "Content-Type", "text/long");
        put(cluster, "empty", "");
        send(cluster, "DELETE", "/v0/entity?id=k7", "");
        put(cluster, "conditional", "c", "If-None-Match", "*");
        put(cluster, "twice", "one");
        put(cluster, "twice", "two");
    }

    @Test
    void aClusterIsRestoredIntoOneWithMoreNodes() throws Exception {
        putOfEachKind();
        assertThat(backup("first")).as(err.toString()).isZero();
        put(cluster, "later", "x");
        List<String> saved = new ArrayList<>(entries(cluster));
        saved.removeIf(line -> line.contains("bGF0ZXI=")); // later

        NodesInOneProcess five = cluster(5);
        five.stop(4);
        assertThat(restore(five)).as(err.toString()).isZero();
        assertThat(entries(five)).containsExactlyElementsOf(saved);
        String type = send(five, "GET", "/v0/entity?id=long", "").headers().map().toString();
        assertThat(type).contains("text/long");
        HttpResponse<String> brief =
                send(five, "GET", "/v0/entities?prefix=brief", "", "Accept", "application/json");
        assertThat(brief.body()).contains("\"expires\":");
    }

    @Test
    void theSecondBackupCopiesOnlyWhatIsNew() throws Exception {
        putOfEachKind();
        assertThat(backup("first")).as(err.toString()).isZero();
        long all = copiedBytes();
        put(cluster, "later", "x");
        assertThat(backup("second")).as(err.toString()).isZero();
        assertThat(copiedBytes()).isLessThan(all / 20);
        assertThat(run(cluster, 1, "backup", "list", folder.toString())).isZero();
        assertThat(out.toString().lines())
                .hasSize(2)
                .allMatch(line -> line.matches("(first|second) .* [0-9]+ n1,n2,n3"));

        deleteTree(folder.resolve("first"));
        NodesInOneProcess other = cluster(1);
        assertThat(restore(other, "--replicas", "1/1")).as(err.toString()).isZero();
        assertThat(get(other, "later&replicas=1/1")).isEqualTo("x");
        assertThat(get(other, "k699&replicas=1/1")).isEqualTo("value 699");
        assertThat(backup("second")).isEqualTo(2);
    }

    private long copiedBytes() {
        return Long.parseLong(
                err.toString()
                        .replaceAll("(?s).*?([0-9,]+) bytes were copied.*", "$1")
                        .replace(",", ""));
    }

    private static void deleteTree(Path directory) throws IOException {
        new DiskFiles().deleteTree(directory);
    }

    @Test
    void aRestoreReplacesNothingUnasked() throws Exception {
        putOfEachKind();
        assertThat(backup("first")).as(err.toString()).isZero();
        put(cluster, "k1", "newer");
        send(cluster, "DELETE", "/v0/entity?id=k2", "");
        List<String> before = entries(cluster);

        assertThat(restore(cluster)).isEqualTo(4);
        assertThat(err.toString()).contains("The cluster contains entries", "--merge");
        assertThat(restore(cluster, "--prefix", "k")).isEqualTo(4);
        assertThat(entries(cluster)).isEqualTo(before);

        assertThat(restore(cluster, "--merge")).as(err.toString()).isZero();
        assertThat(entries(cluster)).isEqualTo(before);

        assertThat(restore(cluster, "--key", "k1")).as(err.toString()).isZero();
        assertThat(get(cluster, "k1")).isEqualTo("value 1");
        assertThat(restore(cluster, "--key", "%6B2", "--encoded")).as(err.toString()).isZero();
        assertThat(get(cluster, "k2")).isEqualTo("value 2");
        assertThat(restore(cluster, "--key", "k7")).as("deleted before").isEqualTo(1);
        assertThat(restore(cluster, "--key", "k1", "--merge")).isEqualTo(2);
        assertThat(restore(cluster, "--name", "other")).isEqualTo(2);
    }

    /** What was deleted in the cluster before is no reason to leave it out. */
    @Test
    void anEmptiedClusterIsRestored() throws Exception {
        put(cluster, "a", "1");
        put(cluster, "b", "2");
        assertThat(backup("first")).as(err.toString()).isZero();
        send(cluster, "DELETE", "/v0/entity?id=a", "");
        send(cluster, "DELETE", "/v0/entity?id=b", "");
        assertThat(restore(cluster)).as(err.toString()).isZero();
        assertThat(get(cluster, "a")).isEqualTo("1");
        assertThat(get(cluster, "b")).isEqualTo("2");
    }

    @Test
    void aDamagedBackupIsNotRestored() throws Exception {
        putOfEachKind();
        assertThat(backup("first")).as(err.toString()).isZero();
        NodesInOneProcess other = cluster(1);
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder.resolve("first"))) {
            files = walk.filter(Files::isRegularFile).sorted().toList();
        }
        assertThat(files).hasSizeGreaterThan(10);
        for (Path file : files) {
            byte[] whole = Files.readAllBytes(file);
            byte[] changed = whole.clone();
            changed[whole.length / 2] ^= 4;
            for (byte[] bytes : List.of(changed, new byte[0])) {
                Files.write(file, bytes, StandardOpenOption.TRUNCATE_EXISTING);
                assertThat(restore(other, "--replicas", "1/1")).as(file.toString()).isEqualTo(2);
                assertThat(err.toString()).contains("damaged", file.getFileName().toString());
            }
            Files.delete(file);
            assertThat(restore(other, "--replicas", "1/1")).as(file.toString()).isEqualTo(2);
            Files.write(file, whole);
        }
        assertThat(entries(other)).isEmpty();
        assertThat(restore(other, "--replicas", "1/1")).as(err.toString()).isZero();
    }

    /** A link may lead to another store, and a file without a sum was not copied. */
    @Test
    void whatWasNotCopiedIsNotRestored() throws Exception {
        putOfEachKind();
        assertThat(backup("first")).as(err.toString()).isZero();
        NodesInOneProcess other = cluster(1);
        Path first = folder.resolve("first");
        Path stray = Files.writeString(first.resolve("n2/store/999999.sst"), "not copied");
        assertThat(restore(other, "--replicas", "1/1")).isEqualTo(2);
        assertThat(err.toString()).contains("999999.sst", "no checksum");
        Files.delete(stray);
        for (String linked : List.of("n1", "n1/store", "SHA256SUMS")) {
            Path path = first.resolve(linked);
            Path elsewhere = folder.resolve("elsewhere");
            Files.move(path, elsewhere);
            Files.createSymbolicLink(path, elsewhere);
            assertThat(restore(other, "--name", "first", "--replicas", "1/1"))
                    .as(linked)
                    .isEqualTo(2);
            assertThat(err.toString()).contains("it is a link");
            assertThat(backup("next-" + linked.length())).as(err.toString()).isZero();
            Files.delete(path);
            Files.move(elsewhere, path);
        }
        assertThat(entries(other)).isEmpty();
        assertThat(restore(other, "--name", "first", "--replicas", "1/1"))
                .as(err.toString())
                .isZero();
    }

    /** Whoever changes a backup can make its sums right; it still names no files elsewhere. */
    @Test
    void aBackupNamesNoFilesElsewhere() throws Exception {
        put(cluster, "a", "1");
        assertThat(backup("first")).as(err.toString()).isZero();
        Path file = folder.resolve("first").resolve("backup");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.replaceAll(line -> line.replace("node n3", "node ../../cluster-0/n3"));
        lines.removeLast();
        String body = String.join("\n", lines) + "\n";
        byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
        String checksum = "%08x".formatted(Crc32c.of(bytes, 0, bytes.length));
        Files.writeString(file, body + "checksum " + checksum + "\n");
        assertThat(restore(cluster(1), "--replicas", "1/1")).isEqualTo(2);
        assertThat(err.toString()).contains("the name of a node is invalid");
    }

    @Test
    void eachMemberIsNeeded() throws Exception {
        put(cluster, "a", "1");
        cluster.stop(3);
        assertThat(backup("first")).isEqualTo(3);
        assertThat(err.toString()).contains("No URL leads to n3", "--without");
        assertThat(run(cluster, 1, "backup", folder.toString())).isEqualTo(3);
        assertThat(backup("first", "--without", "n2")).isEqualTo(3);
        assertThat(folder).doesNotExist();
        assertThat(backup("first", "--without", "n3")).as(err.toString()).isZero();
        assertThat(out.toString()).contains("n1,n2 without n3");
        assertThat(restore(cluster(1), "--replicas", "1/1")).as(err.toString()).isZero();
    }

    /** The members have the same names, and each cluster's id tells them apart. */
    @Test
    void twoClustersAreNotMixedInABackup() throws Exception {
        assertThat(backup("first")).as(err.toString()).isZero();
        NodesInOneProcess other = cluster(3);
        assertThat(run(other, 3, "backup", folder.toString(), "--name", "second")).isEqualTo(2);
        assertThat(err.toString())
                .contains("The folder has backups of cluster", "these nodes belong to cluster");
        CommandLine both = commandLine();
        String urls = cluster.url(1) + "," + other.url(2) + "," + other.url(3);
        assertThat(both.execute("backup", data.resolve("b").toString(), "--url", urls))
                .isEqualTo(2);
        assertThat(err.toString()).contains("and the previous node to cluster");
    }

    /** The command may end at any moment: there is no backup, and what it has copied is used. */
    @Test
    void anUnfinishedBackupIsContinued() throws Exception {
        putOfEachKind();
        assertThat(backup("first")).as(err.toString()).isZero();
        long all = copiedBytes();
        Files.move(folder.resolve("first"), folder.resolve("first.unfinished"));
        Files.delete(folder.resolve("first.unfinished").resolve("backup"));
        // As a command leaves it that is killed while it copies the last node.
        send(cluster, "POST", "/admin/checkpoint?name=backup-first", "");
        deleteTree(folder.resolve("first.unfinished").resolve("n3"));
        damage(folder.resolve("first.unfinished").resolve("n2"));

        assertThat(restore(cluster(1))).as("nothing is complete").isEqualTo(2);
        assertThat(backup("first")).as(err.toString()).isZero();
        assertThat(copiedBytes()).isBetween(1L, all * 9 / 10);
        assertThat(run(cluster, 1, "backup", "list", folder.toString())).isZero();
        assertThat(out.toString()).startsWith("first ");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("first", "LOCK");
        }
        assertThat(send(cluster, "GET", "/admin/checkpoint", "").body()).isEmpty();
    }

    /** Changes a byte of a table, which has as many as before. */
    private static void damage(Path directory) throws IOException {
        Path table;
        try (Stream<Path> walk = Files.walk(directory)) {
            table =
                    walk.filter(each -> each.toString().endsWith(".sst"))
                            .filter(each -> !each.toString().contains("checkpoints"))
                            .findAny()
                            .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(table);
        bytes[bytes.length / 3] ^= 1;
        Files.write(table, bytes);
    }

    @Test
    void whatIsDamagedAtANodeIsNoBackup() throws Exception {
        putOfEachKind();
        assertThat(backup("first")).as(err.toString()).isZero();
        damage(data.resolve("cluster-0").resolve("n2"));
        assertThat(backup("second")).isEqualTo(3);
        assertThat(err.toString()).contains("n2: ", ".sst", "damaged files, so there is no backup");
        assertThat(run(cluster, 1, "backup", "list", folder.toString())).isZero();
        assertThat(out.toString().lines()).hasSize(1);
    }

    /** Each write that was acknowledged before is there, whatever is written meanwhile. */
    @Test
    void aBackupBesideWritesHasAllOfBefore() throws Exception {
        AtomicInteger acknowledged = new AtomicInteger(-1);
        AtomicBoolean isOver = new AtomicBoolean();
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (int i = 0; !isOver.get(); i++) {
                                        try {
                                            put(cluster, "w" + i, "value " + i);
                                            acknowledged.set(i);
                                        } catch (Exception e) {
                                            return;
                                        }
                                    }
                                });
        try {
            Awaitility.await().until(() -> acknowledged.get() > 300);
            int before = acknowledged.get();
            assertThat(backup("first")).as(err.toString()).isZero();
            isOver.set(true);
            writer.join();
            NodesInOneProcess other = cluster(1);
            assertThat(restore(other, "--replicas", "1/1")).as(err.toString()).isZero();
            for (int i = 0; i <= before; i++) {
                assertThat(get(other, "w" + i + "&replicas=1/1")).isEqualTo("value " + i);
            }
        } finally {
            isOver.set(true);
            writer.join();
        }
    }

    /** Another command, into another folder, may copy it at this moment. */
    @Test
    void aCheckpointOfAnotherCommandStays() throws Exception {
        put(cluster, "a", "1");
        assertThat(send(cluster, "POST", "/admin/checkpoint?name=backup-first", "").statusCode())
                .isEqualTo(201);
        assertThat(backup("first")).isEqualTo(3);
        assertThat(send(cluster, "GET", "/admin/checkpoint", "").body())
                .startsWith("backup-first ");
    }

    @Test
    void twoCommandsDoNotUseOneFolder() throws Exception {
        put(cluster, "a", "1");
        try (AutoCloseable _ = locked()) {
            assertThat(backup("first")).isEqualTo(2);
        }
        assertThat(backup("first")).as(err.toString()).isZero();
        assertThat(Files.readString(folder.resolve("first/SHA256SUMS"), StandardCharsets.US_ASCII))
                .contains("  n1/store/CURRENT\n");
    }

    private List<String> listed() {
        assertThat(run(cluster, 1, "backup", "list", folder.toString())).isZero();
        return out.toString().lines().map(line -> line.replaceAll(" .*", "")).toList();
    }

    @Test
    void noBackupIsRemovedWithoutANewOne() throws Exception {
        put(cluster, "a", "1");
        for (String each : List.of("one", "two", "three")) {
            assertThat(backup(each)).as(err.toString()).isZero();
        }
        assertThat(backup("four", "--keep", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--keep is a number of backups");
        assertThat(backup("three", "--keep", "1")).as("no new backup").isEqualTo(2);
        damage(data.resolve("cluster-0").resolve("n2"));
        assertThat(backup("four", "--keep", "1")).as("no complete backup").isEqualTo(3);
        assertThat(listed()).containsExactly("one", "two", "three");
    }

    @Test
    void olderBackupsAreRemovedAfterACompleteOne() throws Exception {
        put(cluster, "a", "1");
        for (String each : List.of("one", "two", "three")) {
            assertThat(backup(each)).as(err.toString()).isZero();
        }
        assertThat(backup("four", "--keep", "2")).as(err.toString()).isZero();
        assertThat(err.toString()).contains("Removed one.", "Removed two.");
        assertThat(listed()).containsExactly("three", "four");
        assertThat(backup("five", "--keep", "1")).as(err.toString()).isZero();
        assertThat(listed()).containsExactly("five");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("five", "LOCK");
        }
        assertThat(restore(cluster(1), "--replicas", "1/1")).as(err.toString()).isZero();
    }

    /** A disk that is full after a number of writes. */
    private static StorageFiles limited(int writes) {
        AtomicInteger left = new AtomicInteger(writes);
        return proxy(
                StorageFiles.class,
                new DiskFiles(),
                (method, file) ->
                        method.equals("create")
                                ? proxy(
                                        WritableFile.class,
                                        (WritableFile) file,
                                        (call, result) -> {
                                            if (call.equals("write")
                                                    && left.decrementAndGet() < 0) {
                                                throw new DiskFullException("no space left");
                                            }
                                            return result;
                                        })
                                : file);
    }

    private interface Intercepted {
        @Nullable Object returns(String method, @Nullable Object result) throws IOException;
    }

    private static <T> T proxy(Class<T> type, T target, Intercepted intercepted) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            try {
                                Object result = method.invoke(target, arguments);
                                return intercepted.returns(method.getName(), result);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    @Test
    void aFullFolderKeepsEarlierBackupsAndTheNextRunGoesOn() throws Exception {
        put(cluster, "a", "1");
        assertThat(backup("first")).as(err.toString()).isZero();
        put(cluster, "b", "2".repeat(10_000));
        files = limited(20);
        assertThat(backup("second", "--keep", "1")).isEqualTo(2);
        assertThat(err.toString())
                .contains(folder + " has no space left (", "Earlier backups are unchanged.");
        assertThat(folder.resolve("second.unfinished")).isDirectory();
        assertThat(send(cluster, "GET", "/admin/checkpoint", "").body()).isEmpty();
        files = new DiskFiles();
        assertThat(listed()).containsExactly("first");
        assertThat(restore(cluster(1), "--replicas", "1/1")).as(err.toString()).isZero();
        assertThat(backup("second", "--keep", "1")).as(err.toString()).isZero();
        assertThat(listed()).containsExactly("second");
    }

    private double lastBackup(int node) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(cluster.url(node) + "/metrics")).build();
        return client.send(request, BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith("quorate_last_backup_timestamp_seconds "))
                .mapToDouble(line -> Double.parseDouble(line.split(" ", 2)[1]))
                .sum();
    }

    @Test
    void nodesKnowWhenTheLastBackupWasCompleted() throws Exception {
        assertThat(lastBackup(1)).isZero();
        double before = SystemTicker.INSTANCE.wallMillis() / 1e3;
        cluster.stop(3);
        assertThat(backup("first", "--without", "n3")).as(err.toString()).isZero();
        assertThat(lastBackup(1)).isGreaterThanOrEqualTo(before);
        assertThat(lastBackup(2)).isGreaterThanOrEqualTo(before);
        cluster.start(3);
        assertThat(lastBackup(3)).isZero();
    }

    /** A drill starts no node if the backup is damaged or the disk has too little space. */
    @Test
    void aDrillNamesWhatIsWrong() throws Exception {
        putOfEachKind();
        assertThat(backup("first")).as(err.toString()).isZero();
        Path scratch = Files.createDirectory(data.resolve("scratch"));
        String[] drill = {"backup", "drill", folder.toString(), "--data", scratch.toString()};
        damage(folder.resolve("first").resolve("n2"));
        assertThat(commandLine().execute(drill)).isEqualTo(1);
        assertThat(err.toString())
                .contains("The backup cannot be restored: it is damaged: ", ".sst", "not the file");
        files =
                proxy(
                        StorageFiles.class,
                        new DiskFiles(),
                        (method, result) ->
                                method.equals("freeBytes") ? (Long) 1_000_000L : result);
        assertThat(commandLine().execute(drill)).isEqualTo(3);
        assertThat(err.toString()).contains("The drill needs ", scratch.toString(), "--data");
        drill[2] = data.resolve("none").toString();
        assertThat(commandLine().execute(drill)).isEqualTo(2);
        assertThat(err.toString()).contains(drill[2], "no complete backup");
        assertThat(scratch).isEmptyDirectory();
    }

    private AutoCloseable locked() throws IOException {
        Files.createDirectories(folder);
        Files.createFile(folder.resolve("LOCK"));
        return new DiskFiles().lock(folder.resolve("LOCK"));
    }
}
