package dev.quorate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.ClusterNode;
import dev.quorate.node.directory.CheckedText;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreClocks;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code quorate verify} and {@code quorate salvage} as a person calls them, on the files of a
 * node, whole and damaged. Exit codes: 0 fine, 1 damaged, 2 nothing to look at.
 */
class InspectCommandsTest {

    private static final StorageOptions OPTIONS =
            StorageOptions.defaults()
                    .withMemtableBytes(16 << 10)
                    .withSegmentBytes(64 << 10)
                    .withReservedDiskBytes(0);

    @TempDir Path cluster;
    private Path node;
    private Path store;

    private record Run(int exit, String out, String err) {}

    private static Run run(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit =
                Main.commandLine(ClusterNode::start, Map.of())
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(err))
                        .execute(words);
        return new Run(exit, out.toString(), err.toString());
    }

    private static LsmStore open(Path directory) {
        return LsmStore.open(
                new DiskFiles(),
                directory,
                OPTIONS,
                StoreExecutors.inPlace((millis, task) -> {}),
                new StoreClocks(() -> 0),
                cause -> {
                    throw cause;
                });
    }

    private static void write(LsmStore store, Entry entry) {
        store.write(
                entry,
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {}

                    @Override
                    public void failed(StorageException cause) {
                        throw cause;
                    }
                });
    }

    /** A stopped node with two tables, and a log with three entries. */
    @BeforeEach
    void writeNode() throws IOException {
        node = cluster.resolve("n1");
        store = node.resolve("data").resolve("store");
        try (LsmStore open = open(store)) {
            for (int i = 0; i < 100; i++) {
                byte[] key = "key %03d".formatted(i).getBytes(UTF_8);
                write(open, Entry.value(key, new Timestamp(1 + i, 1), new byte[50], 3));
                if (i == 50) {
                    open.flush();
                }
            }
            open.flush();
            byte[] hostile = {0, '\n', 27, '[', '2', 'J', (byte) 0xC3, (byte) 0xBC, '%', 'a'};
            write(open, Entry.value(hostile, new Timestamp(200, 1), new byte[7], 3));
            write(open, Entry.tombstone("gone".getBytes(UTF_8), new Timestamp(201, 1), 3));
            write(
                    open,
                    Entry.expiring("brief".getBytes(UTF_8), new Timestamp(202, 1), hostile, 2, 77));
        }
        Files.writeString(node.resolve("node.log"), "what a node says\n");
        Files.writeString(store.resolve("notes.txt"), "somebody else's\n");
    }

    private List<Path> files(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(store)) {
            return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
        }
    }

    private static void flip(Path file, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 0x10;
        Files.write(file, bytes);
    }

    private static Path live(List<Path> logs) throws IOException {
        for (Path log : logs) {
            if (Files.readString(log, StandardCharsets.ISO_8859_1).contains("gone")) {
                return log;
            }
        }
        throw new AssertionError("no log has the last entries: " + logs);
    }

    @Test
    void verifyFindsAnIntactNodeFromAnyOfItsFolders() {
        for (Path from : List.of(cluster, node, node.resolve("data"), store)) {
            Run run = run("verify", from.toString());
            assertThat(run.err()).isEmpty();
            assertThat(run.out().lines())
                    .singleElement()
                    .asString()
                    .startsWith(
                            store + ": no damage; 2 tables and 1 log segment with 3 log records")
                    .doesNotContain("torn");
            assertThat(run.exit()).isZero();
        }
    }

    /** As a node makes them, beside its store. */
    @Test
    void aCheckpointIsVerifiedWhereItIsNamed() throws IOException {
        Path checkpoint = node.resolve("data").resolve("checkpoints").resolve("first");
        try (LsmStore open = open(store)) {
            open.checkpoint(checkpoint.resolve("store"));
        }
        for (Path from : List.of(checkpoint, checkpoint.resolve("store"), checkpoint.getParent())) {
            Run run = run("verify", from.toString());
            assertThat(run.out().lines())
                    .singleElement()
                    .asString()
                    .startsWith(checkpoint.resolve("store") + ": no damage; ");
            assertThat(run.exit()).isZero();
        }
        for (Path from : List.of(cluster, node.resolve("data"))) {
            Run run = run("verify", from.toString());
            assertThat(run.out().lines()).singleElement().asString().startsWith(store + ": ");
            assertThat(run("salvage", from.toString()).exit()).isZero();
        }
        try (Stream<Path> tables = Files.list(checkpoint.resolve("store"))) {
            flip(tables.filter(file -> file.toString().endsWith(".sst")).findAny().get(), 3);
        }
        assertThat(run("verify", checkpoint.toString()).exit()).isEqualTo(1);
    }

    /** Of each file, also those whose bytes the store does not check, or does not miss. */
    @Test
    void theFilesOfABackupAreComparedWithTheirSums() throws Exception {
        Path backup = cluster.resolve("backups").resolve("monday");
        Path data = backup.resolve("n1");
        try (LsmStore open = open(store)) {
            open.checkpoint(data.resolve("store"));
        }
        Files.writeString(data.resolve("beside"), "a file of the directory");
        List<Path> copied;
        try (Stream<Path> all = Files.walk(data)) {
            copied = all.filter(Files::isRegularFile).sorted().toList();
        }
        StringBuilder sums = new StringBuilder();
        for (Path file : copied) {
            sums.append(sha256(file)).append("  ").append(backup.relativize(file)).append('\n');
        }
        Path sumFile = Files.writeString(backup.resolve("SHA256SUMS"), sums);
        CheckedText.write(
                new DiskFiles(),
                backup.resolve("backup"),
                "quorate backup 2",
                List.of("cluster c", "begun 1", "bytes 2", "sums " + sha256(sumFile), "node n1"));

        Run whole = run("verify", backup.toString());
        assertThat(whole.out())
                .contains(copied.size() + " files compared with their sums; all are what")
                .contains(": no damage; 3 tables");
        assertThat(whole.exit()).isZero();
        List<Path> checked = new ArrayList<>(copied);
        checked.add(sumFile);
        for (Path file : checked) {
            byte[] before = Files.readAllBytes(file);
            Files.writeString(file, " ", StandardOpenOption.APPEND);
            Run changed = run("verify", backup.toString());
            assertThat(changed.out())
                    .contains(file + " is corrupt at offset 0: it is not the file that was copied");
            assertThat(changed.exit()).isEqualTo(1);
            Files.write(file, before);
        }
        Files.delete(data.resolve("beside"));
        assertThat(run("verify", backup.toString()).out())
                .contains("beside is corrupt at offset 0: the file is missing");
        assertThat(run("verify", backup.toString()).exit()).isEqualTo(1);
    }

    private static String sha256(Path file) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        return HexFormat.of().formatHex(digest);
    }

    @Test
    void everyDamageIsALineWithFileAndOffset() throws IOException {
        List<Path> tables = files(".sst");
        flip(tables.getFirst(), 3);
        flip(tables.getLast(), 4);
        Path log = live(files(".log"));
        flip(log, 515);
        Run run = run("verify", cluster.toString());
        assertThat(run.exit()).isEqualTo(1);
        List<String> lines = run.out().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0))
                .contains(store + ": " + tables.getFirst().getFileName(), "offset 0");
        assertThat(lines.get(1))
                .contains(store + ": " + tables.getLast().getFileName(), "offset 0");
        assertThat(lines.get(2)).contains(store + ": " + log.getFileName(), "offset 512");
        assertThat(lines.get(3)).contains("3 damages");
    }

    @Test
    void truncatedMissingEmptyAndForeignFilesAreNamed() throws IOException {
        Path log = live(files(".log"));
        Path table = files(".sst").getFirst();
        Path manifest = files(".manifest").getFirst();
        byte[] whole = Files.readAllBytes(log);
        // Below its seal a log may end anywhere: that is a torn write, and told as such.
        Files.write(log, Arrays.copyOf(whole, 590));
        Run torn = run("verify", node.toString());
        assertThat(torn.exit()).isZero();
        assertThat(torn.out()).contains("of a torn last write");
        Files.write(log, Arrays.copyOf(whole, 100));
        assertNamed(log, "header of 512 bytes expected");
        Files.write(log, new byte[0]);
        assertNamed(log, "header of 512 bytes expected");
        Files.delete(log);
        assertNamed(log, "missing");
        Files.write(log, whole);

        byte[] content = Files.readAllBytes(table);
        Files.write(table, new byte[0]);
        assertNamed(table, "0 bytes");
        Files.delete(table);
        assertNamed(table, "missing");
        Files.write(table, content);

        ByteBuffer later = ByteBuffer.wrap(Files.readAllBytes(manifest));
        later.putInt(8, 3).putInt(28, Crc32c.of(later, 0, 28));
        Files.write(manifest, later.array());
        assertNamed(manifest, "has manifest format 3, this program reads 1 and 2");
        Files.write(store.resolve("CURRENT"), new byte[100_000]);
        assertNamed(store.resolve("CURRENT"), "100000 bytes");
    }

    private void assertNamed(Path file, String what) {
        Run run = run("verify", node.toString());
        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.out().lines().toList().getFirst())
                .contains(store + ": ", String.valueOf(file.getFileName()), what);
        assertThat(run.out()).contains("1 damage;");
    }

    /** The record of one of three members, which has all that it acknowledged. */
    private Path writeMember() throws IOException {
        Path member = node.resolve("data").resolve("member");
        CheckedText.write(
                new DiskFiles(),
                member,
                "quorate member 3",
                List.of(
                        "name n1",
                        "standing whole",
                        "store 0f1e2d3c4b5a6978",
                        "cluster 5d1c1f0e-8a3b-4c6d-9e7f-0a1b2c3d4e5f",
                        "promised 0000000000000000-00000000",
                        "accepted 0000000000000000-00000000 -",
                        "virtual-nodes 4096",
                        "replication 3",
                        "members n1,n2,n3"));
        return member;
    }

    @Test
    void aDamagedLogIsSalvaged() throws IOException {
        Path member = writeMember();
        Run nothing = run("salvage", cluster.toString());
        assertThat(nothing.exit()).isZero();
        assertThat(nothing.out()).contains("the log is not damaged; nothing was changed");
        assertThat(Files.readString(member)).contains("standing whole\n");

        flip(live(files(".log")), 515);
        assertThat(run("verify", node.toString()).exit()).isEqualTo(1);
        Run run = run("salvage", node.toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).isZero();
        assertThat(run.out())
                .contains("2 entries are kept", "left out: bytes 512 to ")
                .contains("1 log segment replaced", "before it has compared with all others");
        assertThat(Files.readString(member)).contains("standing rebuilding\n");
        assertThat(run("verify", node.toString()).exit()).isZero();
        try (LsmStore open = open(store)) {
            assertThat(open.lookup("gone".getBytes(UTF_8))).isInstanceOf(Lookup.Found.class);
        }
    }

    @Test
    void oneNodeAloneIsSalvagedAtATime() throws IOException {
        Path other = cluster.resolve("n2").resolve("data").resolve("store");
        open(other).close();
        Run run = run("salvage", cluster.toString());
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("holds the data of 2 nodes: name one");
    }

    @Test
    void theFilesBesideTheStoreAreChecked() throws IOException {
        Path clock = node.resolve("data").resolve("clock");
        Path member = writeMember();
        ByteBuffer bound = ByteBuffer.allocate(24).putInt(0x51434C4B).putInt(1).putLong(77);
        bound.putInt(20, Crc32c.of(bound, 0, 20));
        Files.write(clock, bound.array());
        Run whole = run("verify", node.toString());
        assertThat(whole.out()).contains("no damage");
        assertThat(whole.exit()).isZero();

        flip(clock, 9);
        Files.writeString(member, "n");
        for (Path from : List.of(cluster, node, store)) {
            Run run = run("verify", from.toString());
            assertThat(run.exit()).isEqualTo(1);
            assertThat(run.out().lines())
                    .hasSize(3)
                    .anyMatch(line -> line.startsWith(clock + " is corrupt at offset 20"))
                    .anyMatch(line -> line.startsWith(member + " is corrupt at offset 0"))
                    .anyMatch(line -> line.contains(": 2 damages;"));
        }
        Files.write(clock, new byte[23]);
        assertThat(run("verify", node.toString()).out()).contains("expected 24, got 23");
    }

    @Test
    void aDirectoryWithoutAStoreIsAnError() throws IOException {
        Path empty = Files.createDirectory(cluster.resolve("empty"));
        Path text = node.resolve("node.log");
        assertWrong(run("verify"), "Missing required parameter");
        assertWrong(run("verify", empty.toString()), "holds no store");
        assertWrong(run("verify", empty.resolve("x").toString()), "does not exist");
        assertWrong(run("verify", text.toString()), "is not a directory");
    }

    @Test
    void aNodeThatRunsIsLeftAlone() {
        try (LsmStore open = open(store)) {
            assertThat(open.recoverySummary()).isNotEmpty();
            assertWrong(run("verify", cluster.toString()), "is in use: stop the node first");
        }
        assertThat(run("verify", cluster.toString()).exit()).isZero();
    }

    private static void assertWrong(Run run, String why) {
        assertThat(run.err()).contains(why).doesNotContain("\tat ");
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.exit()).isEqualTo(2);
    }
}
