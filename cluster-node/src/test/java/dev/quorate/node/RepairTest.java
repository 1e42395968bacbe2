package dev.quorate.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.antientropy.PeerRepairStatus.Phase;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.router.Seed;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.EntryCodec;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replicas that differ become the same, and not much is sent for it. */
class RepairTest {

    private static final long HOUR_AGO = System.currentTimeMillis() - 3_600_000;

    private final RandomGenerator random = Seed.random("RepairTest");

    @TempDir private Path data;

    private static byte[] key(int number) {
        return "key-%07d".formatted(number).getBytes(US_ASCII);
    }

    private Entry value(int number, int later, int from) {
        byte[] value = new byte[random.nextInt(100, 301)];
        random.nextBytes(value);
        return Entry.value(key(number), Timestamp.of(HOUR_AGO + later, 0, 1), value, from);
    }

    private static Entry tombstone(int number, int later) {
        return Entry.tombstone(key(number), Timestamp.of(HOUR_AGO + later, 0, 2), 3);
    }

    /** Gives both the same entries, but for some; returns the bytes of those that one lacks. */
    private long diverge(NodesWithoutSockets nodes, int keys, int divergent) {
        boolean[] differs = new boolean[keys];
        for (int left = divergent; left > 0; ) {
            int number = random.nextInt(keys);
            if (!differs[number]) {
                differs[number] = true;
                left--;
            }
        }
        long bytes = 0;
        List<Entry> first = new ArrayList<>();
        List<Entry> second = new ArrayList<>();
        for (int number = 0; number < keys; number++) {
            Entry common = value(number, 0, 3);
            if (!differs[number]) {
                first.add(common);
                second.add(common);
            } else {
                boolean hadIt = random.nextBoolean();
                Entry newer = random.nextInt(4) == 0 ? tombstone(number, 9) : value(number, 9, 3);
                List<Entry> has = random.nextBoolean() ? first : second;
                has.add(newer);
                if (hadIt) {
                    first.add(common);
                    second.add(common);
                }
                bytes += EntryCodec.encodedSize(newer);
            }
            if (first.size() > 5_000) {
                nodes.write(1, first);
                nodes.write(2, second);
                first.clear();
                second.clear();
            }
        }
        nodes.write(1, first);
        nodes.write(2, second);
        return bytes;
    }

    /** The keys that a store keeps under others, and the results of conditional writes. */
    @Test
    void keysBehindThePrefixOfRecordsAndVersionsWithStepsAreRepaired() throws IOException {
        try (NodesWithoutSockets nodes = new NodesWithoutSockets(data, 2, Map.of())) {
            List<Entry> first = new ArrayList<>();
            List<Entry> second = new ArrayList<>();
            for (int ones = 1; ones < 20; ones++) {
                byte[] key = new byte[ones];
                Arrays.fill(key, (byte) -1);
                Timestamp root = Timestamp.of(HOUR_AGO, ones, 1);
                Timestamp later = root.withStep(Timestamp.of(HOUR_AGO + 9, ones, 0).hybrid());
                Entry older = Entry.value(key, root, new byte[ones % 2 * 1_000], 3);
                Entry newer = Entry.value(key, later, new byte[ones % 3 * 1_000], 3);
                first.add(ones % 4 < 2 ? newer : older);
                second.add(ones % 4 > 2 ? newer : older);
            }
            nodes.write(1, first);
            nodes.write(2, second);
            Repairs.Status status = nodes.repair(1);
            assertThat(status.agreed()).as("%s", status).isTrue();
            assertThat(nodes.difference(1, 2)).isNull();
            assertThat(NodesWithoutSockets.only(status).differing()).isEqualTo(14);
            assertThat(nodes.events.since(0).stream().map(EventLog.Event::text))
                    .anyMatch(
                            text ->
                                    text.matches(
                                            "A repair with n2 found keys that differ: 14;"
                                                    + " entries sent: \\d+, fetched: \\d+"));
            byte[] longest = first.getLast().key();
            assertThat(nodes.store(2).lookup(longest)).isInstanceOf(Lookup.Found.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 20000",
        "1, 20000",
        "100, 20000",
        "1000, 100000",
        "10000, 40000",
        "100000, 400000",
        "100, 1000000"
    })
    void replicasThatDifferBecomeTheSame(int divergent, int keys) throws IOException {
        assumeThat(keys <= 100_000 || "full".equals(System.getProperty("quorate.tests.scale")))
                .isTrue();
        try (NodesWithoutSockets nodes = new NodesWithoutSockets(data, 2, Map.of())) {
            long divergentBytes = diverge(nodes, keys, divergent);
            nodes.takeFrameBytes();
            Repairs.Status status = nodes.repair(1);
            long bytes = nodes.takeFrameBytes();
            PeerRepairStatus peer = NodesWithoutSockets.only(status);
            System.out.printf(
                    "%,d of %,d differ: %,d bytes, in frames %,d, for %,d: %.2f times, %.2f s%n",
                    divergent,
                    keys,
                    peer.bytes(),
                    bytes,
                    divergentBytes,
                    (double) bytes / Math.max(1, divergentBytes),
                    peer.nanos() / 1e9);
            assertThat(status.agreed()).as("%s", status).isTrue();
            assertThat(nodes.difference(1, 2)).isNull();
            assertThat(peer.differing()).isEqualTo(divergent);
            assertThat(peer.pushed() + peer.pulled()).isEqualTo(divergent);
            if (divergent >= 100 && keys / divergent <= 1_000) {
                // Without what frames add, which depends on how many requests happen to share one.
                assertThat(peer.bytes()).isLessThan(5 * divergentBytes);
            }
            assertThat(NodesWithoutSockets.only(nodes.repair(2)).differing()).isZero();
        }
    }

    @Test
    void anEmptyReplicaGetsEverything() throws IOException {
        try (NodesWithoutSockets nodes = new NodesWithoutSockets(data, 2, Map.of())) {
            List<Entry> all = new ArrayList<>();
            for (int number = 0; number < 20_000; number++) {
                all.add(value(number, 0, 2));
            }
            nodes.write(2, all);
            assertThat(nodes.repair(1).agreed()).isTrue();
            assertThat(nodes.difference(1, 2)).isNull();
        }
    }

    /** And the other way round: the one that asks has everything. */
    @Test
    void anEmptyReplicaIsSentEverything() throws IOException {
        try (NodesWithoutSockets nodes = new NodesWithoutSockets(data, 3, Map.of())) {
            List<Entry> all = new ArrayList<>();
            for (int number = 0; number < 20_000; number++) {
                all.add(value(number, 0, 3));
            }
            nodes.write(1, all);
            assertThat(nodes.repair(1).agreed()).isTrue();
            assertThat(nodes.difference(1, 2)).isNull();
            assertThat(nodes.difference(1, 3)).isNull();
        }
    }

    /** A newer entry replaces an older one; but it makes no copy that nobody asked for. */
    @Test
    void noCopyIsMadeThatTheEntryDoesNotAskFor() throws IOException {
        try (NodesWithoutSockets nodes = new NodesWithoutSockets(data, 3, Map.of())) {
            List<Entry> onOne = new ArrayList<>();
            for (int number = 0; number < 300; number++) {
                nodes.write(1, List.of(value(number, 0, 1)));
            }
            for (int number = 300; number < 600; number++) {
                Entry old = value(number, 0, 3);
                nodes.write(1, List.of(old));
                nodes.write(2, List.of(old));
                nodes.write(3, List.of(old));
                Entry newer = value(number, 5, 1);
                onOne.add(newer);
                nodes.write(1, List.of(newer));
            }
            for (int node = 1; node <= 3; node++) {
                assertThat(nodes.repair(node).agreed()).isTrue();
            }
            for (int number = 0; number < 300; number++) {
                assertThat(nodes.store(2).lookup(key(number))).isEqualTo(Lookup.Absent.ABSENT);
                assertThat(nodes.store(3).lookup(key(number))).isEqualTo(Lookup.Absent.ABSENT);
            }
            for (int node = 1; node <= 3; node++) {
                for (Entry newer : onOne) {
                    assertThat(nodes.store(node).lookup(newer.key()))
                            .isEqualTo(new Lookup.Found(newer));
                }
                assertThat(nodes.repair(node).peers())
                        .allSatisfy(peer -> assertThat(peer.differing()).isZero());
            }
        }
    }

    /** With more members than copies, each entry is where it belongs and nowhere else. */
    @Test
    void entriesAreSentToTheirOwners() throws IOException {
        Map<String, String> twoCopies = Map.of("replication-factor", "2");
        try (NodesWithoutSockets nodes = new NodesWithoutSockets(data, 4, twoCopies)) {
            var ring = nodes.core(1).placement().current().before();
            List<Entry> all = new ArrayList<>();
            for (int number = 0; number < 2_000; number++) {
                Entry entry = value(number, 0, 2);
                all.add(entry);
                var replicas = ring.replicas(entry.key(), 2);
                String has = replicas.get(random.nextInt(2)).name();
                nodes.write(Integer.parseInt(has.substring(1)), List.of(entry));
            }
            for (int node = 1; node <= 4; node++) {
                assertThat(nodes.repair(node).agreed()).isTrue();
            }
            for (Entry entry : all) {
                for (int node = 1; node <= 4; node++) {
                    boolean owns =
                            ring.replicas(entry.key(), 2)
                                    .contains(
                                            nodes.core(1)
                                                    .placement()
                                                    .current()
                                                    .before()
                                                    .topology()
                                                    .member("n" + node));
                    assertThat(nodes.store(node).lookup(entry.key()) instanceof Lookup.Found)
                            .isEqualTo(owns);
                }
            }
        }
    }

    /** The peer is gone in the middle: that is told, and the next repair brings it to an end. */
    @Test
    void aRepairThatIsInterruptedIsTakenUpAgain() throws IOException {
        try (NodesWithoutSockets nodes = new NodesWithoutSockets(data, 2, Map.of())) {
            diverge(nodes, 20_000, 5_000);
            nodes.loseSecondAfter(40);
            Repairs.Status broken = nodes.repair(1);
            assertThat(broken.agreed()).isFalse();
            assertThat(NodesWithoutSockets.only(broken).phase()).isEqualTo(Phase.FAILED);
            assertThat(NodesWithoutSockets.only(broken).detail()).isNotEmpty();
            assertThat(NodesWithoutSockets.only(broken).completeSince()).isZero();
            nodes.findSecond();
            Awaitility.await().until(() -> nodes.core(1).transport().health().getFirst().asked());
            assertThat(nodes.repair(1).agreed()).isTrue();
            assertThat(nodes.difference(1, 2)).isNull();
        }
    }

    /** What is written meanwhile is neither lost nor undone. */
    @Test
    void writesGoOnMeanwhile() throws Exception {
        try (NodesWithoutSockets nodes = new NodesWithoutSockets(data, 2, Map.of())) {
            diverge(nodes, 30_000, 3_000);
            nodes.core(1).repairs().begin();
            List<Entry> written = new ArrayList<>();
            for (int i = 0; nodes.core(1).repairs().status().running() && i < 50_000; i++) {
                Entry entry = value(random.nextInt(30_000), 100 + i, 2);
                nodes.write(1 + i % 2, List.of(entry));
                written.add(entry);
            }
            // A round that is running may have compared a range before the last writes to it.
            Awaitility.await().until(() -> !nodes.core(1).repairs().status().running());
            assertThat(nodes.repair(1).agreed()).isTrue();
            assertThat(nodes.difference(1, 2)).isNull();
            for (Entry entry : written) {
                Lookup.Found found = (Lookup.Found) nodes.store(1).lookup(entry.key());
                assertThat(found.entry().timestamp()).isGreaterThanOrEqualTo(entry.timestamp());
            }
            System.out.println(written.size() + " writes meanwhile");
        }
    }

    /**
     * Either side's disk may be damaged: the rest is repaired, and the damage is told. It cannot be
     * healed meanwhile, because the third member is away.
     */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void unreadableRangesAreReportedAndTheRestIsRepaired(int damaged) throws IOException {
        try (NodesWithoutSockets nodes = new NodesWithoutSockets(data, 3, Map.of())) {
            nodes.stop(3);
            diverge(nodes, 20_000, 0);
            nodes.store(1).flush();
            nodes.store(2).flush();
            nodes.stop(damaged);
            damage(data.resolve("n" + damaged).resolve("store"));
            nodes.start(damaged);
            List<Entry> more = new ArrayList<>();
            for (int number = 0; number < 20_000; number += 10) {
                more.add(value(number, 5, 3));
            }
            nodes.write(3 - damaged, more);
            Awaitility.await().until(() -> nodes.core(1).transport().health().getFirst().asked());
            PeerRepairStatus status = NodesWithoutSockets.only(nodes.repair(1));
            System.out.println(status);
            assertThat(status.phase()).isEqualTo(Phase.INCOMPLETE);
            assertThat(status.detail()).contains("cannot be read");
            assertThat(status.completeSince()).isZero();
            assertThat(status.pushed() + status.pulled()).isGreaterThan(1_900);
        }
    }

    /** Flips a bit in the middle of the largest table. */
    private static void damage(Path store) throws IOException {
        Path largest;
        try (Stream<Path> files = Files.list(store)) {
            largest =
                    files.filter(file -> file.toString().endsWith(".sst"))
                            .max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length()))
                            .orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(largest.toFile(), "rw")) {
            file.seek(file.length() / 3);
            int old = file.read();
            file.seek(file.length() / 3);
            file.write(old ^ 4);
        }
    }
}
