package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.process.Command;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes are backed up under load while nodes and the command itself are killed; everything is
 * destroyed, and restored into five nodes while the command is killed again.
 */
final class BackupIT {

    private static final int ROUNDS = Integer.getInteger("quorate.backup.rounds", 1);
    private static final long SEED = Long.getLong("quorate.seed", System.nanoTime());
    private static final int WRITERS = 4;
    private static final int WRITES_BEFORE = 1_500;
    private static final Duration PAUSE = Duration.ofMillis(2);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final Path QUORATE = Path.of(System.getProperty("quorate.root"), "quorate");

    @TempDir Path scratch;

    @Test
    void whatWasAcknowledgedBeforeABackupIsRestored() throws Exception {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(SEED);
        int entries = 0;
        for (int round = 1; round <= ROUNDS; round++) {
            Path backups = scratch.resolve("backups-" + round);
            Map<String, String> before = backedUp(round, backups, random);
            restored(round, backups, before, random);
            entries += before.size();
        }
        System.out.printf(
                "backed up, destroyed and restored %d times (seed %d): %d acknowledged writes"
                        + " read back, 0 lost%n",
                ROUNDS, SEED, entries);
    }

    /** Returns what was acknowledged before the command that completed began. */
    private Map<String, String> backedUp(int round, Path backups, RandomGenerator random)
            throws Exception {
        Path directory = Files.createDirectory(scratch.resolve("three-" + round));
        try (FaultyProcesses three = new FaultyProcesses(QUORATE, directory, 3);
                ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            three.up(List.of());
            Map<String, String> acknowledged = new ConcurrentHashMap<>();
            AtomicBoolean isOver = new AtomicBoolean();
            try {
                for (int w = 0; w < WRITERS; w++) {
                    int writer = w;
                    writers.execute(() -> write(three, writer, acknowledged, isOver));
                }
                await().atMost(LIMIT).until(() -> acknowledged.size() >= WRITES_BEFORE);
                List<String> command = command("backup", backups, urls(three, 3));
                killedAfter(command, random.nextInt(200, 1_500));
                Process second = begun(command);
                String victim = "n" + random.nextInt(1, 4);
                three.kill(victim);
                second.waitFor();
                three.start(victim);
                Map<String, String> before = Map.copyOf(acknowledged);
                Command.Result last = untilDone(command, directory);
                assertThat(last.output()).contains("n1,n2,n3");
                drill(backups, before.size());
                return before;
            } finally {
                isOver.set(true);
            }
        }
    }

    private void drill(Path backups, int least) throws Exception {
        Path empty = Files.createDirectories(scratch.resolve("drill"));
        List<String> drill =
                List.of(
                        QUORATE.toString(),
                        "backup",
                        "drill",
                        backups.toString(),
                        "--data",
                        empty.toString());
        Command.Result result = new Command(scratch.resolve("drilled")).run(drill, LIMIT);
        assertThat(result.output()).endsWith("The backup can be restored.\n");
        assertThat(result.exit()).isZero();
        String same =
                result.output().replaceAll("(?s).* s  ([0-9,]+) entries are the same.*", "$1");
        assertThat(Integer.parseInt(same.replace(",", ""))).isGreaterThanOrEqualTo(least);
        assertThat(empty).isEmptyDirectory();
    }

    private static void write(
            FaultyProcesses cluster,
            int writer,
            Map<String, String> acknowledged,
            AtomicBoolean isOver) {
        int key = 0;
        for (int via = writer; !isOver.get(); via++) {
            try (EntityClient client = new EntityClient(cluster.url("n" + (via % 3 + 1)))) {
                boolean isStored = true;
                while (isStored && !isOver.get()) {
                    String name = "w" + writer + "-" + key++;
                    isStored = client.put(name, "value of " + name, "2/3").statusCode() == 201;
                    if (isStored) {
                        acknowledged.put(name, "value of " + name);
                        LockSupport.parkNanos(PAUSE.toNanos()); // The backups need the processors.
                    }
                }
            } catch (IOException e) {
                // The next node.
            }
        }
    }

    private void restored(
            int round, Path backups, Map<String, String> before, RandomGenerator random)
            throws Exception {
        Path directory = Files.createDirectory(scratch.resolve("five-" + round));
        try (FaultyProcesses five = new FaultyProcesses(QUORATE, directory, 5)) {
            five.up(List.of());
            killedAfter(command("restore", backups, urls(five, 5)), random.nextInt(300, 1_500));
            List<String> merge = new ArrayList<>(command("restore", backups, urls(five, 5)));
            merge.add("--merge");
            killedAfter(merge, random.nextInt(300, 1_500));
            int victim = random.nextInt(1, 6);
            five.kill("n" + victim);
            untilDone(merge, directory);
            assertThat(entries(five.url("n" + (victim % 5 + 1))))
                    .as("round %d, seed %d", round, SEED)
                    .containsAllEntriesOf(before);
        }
    }

    private static Map<String, String> entries(String url) {
        try (QuorateClient client = QuorateClient.connect(url)) {
            return client.entries(Range.withPrefix(Key.of("w")))
                    .collect(Collectors.toMap(entry -> entry.key().toString(), Entry::text));
        }
    }

    private static String urls(FaultyProcesses cluster, int nodes) {
        return IntStream.rangeClosed(1, nodes)
                .mapToObj(node -> cluster.url("n" + node))
                .collect(Collectors.joining(","));
    }

    private static List<String> command(String name, Path folder, String urls) {
        return List.of(QUORATE.toString(), name, folder.toString(), "--url", urls);
    }

    private Process begun(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(scratch.resolve("killed").toFile())
                .start();
    }

    /** It may have ended before, which is as good. */
    private void killedAfter(List<String> command, int millis) throws Exception {
        Process process = begun(command);
        process.waitFor(millis, TimeUnit.MILLISECONDS);
        process.destroyForcibly().waitFor();
    }

    private static Command.Result untilDone(List<String> command, Path directory) {
        Command.Result[] last = {new Command.Result(-1, "")};
        await().atMost(LIMIT)
                .until(
                        () -> {
                            last[0] = new Command(directory.resolve("output")).run(command, LIMIT);
                            return last[0].exit() == 0;
                        });
        return last[0];
    }
}
