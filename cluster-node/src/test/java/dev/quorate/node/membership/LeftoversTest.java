package dev.quorate.node.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.directory.CheckedText;
import dev.quorate.node.directory.DataDirectory;
import dev.quorate.node.directory.TopologyRecord;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Keyspaces;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreClocks;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Entries of keys that a member has lost: hidden, deleted, and never seen again. */
class LeftoversTest {

    private static final Path DATA = Path.of("/data");
    private static final Topology OPTION =
            new Topology(Topology.parse("n1=http://a:1,n2=http://b:1").members(), 1);
    private static final Topology EPOCH_1 = OPTION.in(new UUID(1, 2));
    private static final Ring RING = new Ring(OPTION);
    private static final int KEYS = 40;

    private static final byte PROMISE = 1;
    private static final byte FATE = 3;

    private final Queue<Runnable> compaction = new ArrayDeque<>();
    private final Queue<Runnable> directory = new ArrayDeque<>();
    private final Queue<Runnable> later = new ArrayDeque<>();
    private final List<Integer> seen = new ArrayList<>();
    private FaultyDisk disk = new FaultyDisk();

    private static Topology shrunk(int epoch, int shrunk, String members) {
        String settings = "epoch=" + epoch + ";shrunk=" + shrunk + ";virtual-nodes=4096;";
        return Topology.parseCanonicalText(
                "cluster=" + new UUID(1, 2) + ";" + settings + "replication=1;" + members);
    }

    private static Topology shrunk(int epoch) {
        return shrunk(epoch, epoch, "n1=http://a:1,n2=http://b:1");
    }

    private static void runAll(Queue<Runnable> tasks) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private static byte[] key(int number) {
        return ("key " + number).getBytes(US_ASCII);
    }

    private static byte[] record(int number, byte kind) {
        byte[] key = key(number);
        return ByteBuffer.allocate(2 + key.length + 1)
                .putShort((short) key.length)
                .put(key)
                .put(kind)
                .array();
    }

    private static boolean isOwn(int number) {
        return RING.replicas(key(number), 1).getFirst().name().equals("n1");
    }

    /** A life of the member n1, with a store whose compaction waits to be run. */
    private final class Life {
        final DataDirectory data;
        final LiveTopology topology;
        final Keyspaces spaces;
        final Membership membership;
        final Leftovers leftovers;

        Life() throws IOException {
            compaction.clear();
            directory.clear();
            later.clear();
            data = DataDirectory.open(disk, DATA, "n1", OPTION, false, new Random(1));
            if (data.topology().topology().epoch() == 0) {
                data.record(data.topology().installing(EPOCH_1, "", TopologyRecord.Part.VOTER));
            }
            topology = new LiveTopology(data.topology().topology());
            LivePlacement live = new LivePlacement(topology, RING);
            StoreExecutors executors =
                    new StoreExecutors(
                            Runnable::run,
                            Runnable::run,
                            compaction::add,
                            (millis, task) -> {},
                            () -> {},
                            StoreExecutors.Callers.MUST_RUN);
            StorageOptions options =
                    StorageOptions.defaults()
                            .withMemtableBytes(1 << 16)
                            .withSegmentBytes(1 << 17)
                            .withMaxQueuedBytes(1 << 20)
                            .withReservedDiskBytes(0)
                            .withScrubMillis(0)
                            .withCompactionBytesPerSecond(0);
            KeyValueStore store =
                    LsmStore.open(
                            disk,
                            data.store(),
                            options,
                            executors,
                            new StoreClocks(() -> 0),
                            cause -> {
                                throw cause;
                            });
            spaces = Keyspaces.of(store);
            membership =
                    new Membership(
                            topology,
                            OPTION.members().getFirst(),
                            new Past(Condition.WHOLE, false, 0, List.of(), 0),
                            1,
                            Duration.ofMinutes(1),
                            new ManualTime(),
                            () -> 10);
            leftovers =
                    new Leftovers(
                            spaces, data, topology, live, membership, directory::add, later::add);
        }

        void fill() {
            for (int i = 0; i < KEYS; i++) {
                write(spaces.data(), key(i));
                write(spaces.records(), record(i, PROMISE));
                write(spaces.records(), record(i, FATE));
            }
            write(spaces.records(), new byte[] {0, 0, 5});
        }

        void install(Topology next) throws IOException {
            data.record(data.topology().installing(next, "", TopologyRecord.Part.VOTER));
            topology.install(next);
        }

        void requireHidden() {
            for (int i = 0; i < KEYS; i++) {
                assertThat(has(spaces.data(), key(i))).isEqualTo(isOwn(i));
                assertThat(has(spaces.records(), record(i, FATE))).isEqualTo(isOwn(i));
                assertThat(has(spaces.records(), record(i, PROMISE))).isTrue();
            }
            assertThat(has(spaces.records(), new byte[] {0, 0, 5})).isTrue();
            try (EntryCursor cursor = spaces.data().scan(new byte[0], null)) {
                while (cursor.next()) {
                    assertThat(RING.replicas(cursor.key(), 1).getFirst().name()).isEqualTo("n1");
                }
            }
        }

        boolean isHidden() {
            return !has(spaces.data(), key(foreign()));
        }

        /** Whether the store contains no entry of a key that it lost, hidden or not. */
        boolean isDeleted() {
            return spaces.data().holdings(key(foreign())).entries().isEmpty();
        }

        int cleanOnDisk() throws IOException {
            int clean = data.topology().clean();
            assertThat(CheckedText.read(disk, DATA.resolve("topology"), "quorate topology 1"))
                    .contains("clean " + clean);
            assertThat(membership.ours().clean()).isEqualTo(clean);
            return clean;
        }
    }

    private static int foreign() {
        int number = 0;
        while (isOwn(number)) {
            number++;
        }
        return number;
    }

    private static boolean has(KeyValueStore store, byte[] key) {
        return store.lookup(key) instanceof Lookup.Found;
    }

    private static void write(KeyValueStore store, byte[] key) {
        boolean[] stored = new boolean[1];
        store.write(
                Entry.value(key, new Timestamp(1, 1), new byte[9], 0),
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        stored[0] = true;
                    }

                    @Override
                    public void failed(StorageException cause) {
                        throw new AssertionError(cause);
                    }
                });
        assertThat(stored[0]).isTrue();
    }

    private Life filled() throws IOException {
        Life life = new Life();
        life.fill();
        assertThat(life.isHidden()).isFalse();
        assertThat(life.cleanOnDisk()).isZero();
        return life;
    }

    @Test
    void theyAreHiddenBeforeTheTopologyIsUsedAndShownNeverAgain() throws IOException {
        Life life = filled();
        life.topology.beforeInstalled(
                next -> {
                    seen.add(life.topology.current().epoch());
                    assertThat(life.isHidden()).isEqualTo(next.epoch() == 3);
                });
        life.install(shrunk(3));
        assertThat(seen).containsExactly(1);
        life.requireHidden();
        assertThat(directory).isEmpty();
        assertThat(life.isDeleted()).as("requests of the epoch before may write").isFalse();
        runAll(later);
        runAll(compaction);
        assertThat(life.isDeleted()).isTrue();
        assertThat(life.cleanOnDisk()).isZero();
        life.requireHidden();
        runAll(directory);
        assertThat(life.cleanOnDisk()).isEqualTo(3);
        life.requireHidden();
        write(life.spaces.data(), key(foreign()));
        assertThat(life.isHidden()).as("a clean member checks nothing").isFalse();
        life.install(shrunk(4, 3, "n1=http://a:2,n2=http://b:1"));
        assertThat(later).as("no key has moved").isEmpty();
        assertThat(life.cleanOnDisk()).isEqualTo(3);
    }

    @Test
    void aRestartHidesThemFromItsFirstRead() throws IOException {
        Life life = filled();
        life.install(shrunk(3));
        runAll(later);
        for (int lives = 0; lives < 2; lives++) {
            disk = disk.afterKill();
            life = new Life();
            life.requireHidden();
            assertThat(life.isDeleted()).isFalse();
        }
        runAll(compaction);
        disk = disk.afterKill();
        life = new Life();
        assertThat(life.cleanOnDisk()).as("written last").isZero();
        life.requireHidden();
        runAll(compaction);
        runAll(directory);
        assertThat(life.cleanOnDisk()).isEqualTo(3);
        disk = disk.afterKill();
        life = new Life();
        assertThat(life.cleanOnDisk()).isEqualTo(3);
        assertThat(life.isDeleted()).isTrue();
        write(life.spaces.data(), key(foreign()));
        assertThat(life.isHidden()).isFalse();
    }

    @Test
    void aLaterLossBeginsAgain() throws IOException {
        Life life = filled();
        life.install(shrunk(3));
        runAll(later);
        life.install(shrunk(5));
        write(life.spaces.data(), key(foreign()));
        runAll(compaction);
        runAll(directory);
        assertThat(life.cleanOnDisk()).isEqualTo(3);
        life.requireHidden();
        runAll(later);
        runAll(compaction);
        runAll(directory);
        assertThat(life.isDeleted()).isTrue();
        assertThat(life.cleanOnDisk()).isEqualTo(5);
    }

    /** Only a member that is rebuilt can be in this state: it fetches the keys afterwards. */
    @Test
    void whatIsGainedWhileTheyAreDeletedIsDeletedToo() throws IOException {
        Life life = filled();
        life.install(shrunk(3));
        runAll(later);
        life.install(shrunk(4, 3, "n1=http://a:1,-n2=http://b:1"));
        life.requireHidden();
        runAll(later);
        runAll(compaction);
        runAll(directory);
        assertThat(life.cleanOnDisk()).isEqualTo(3);
        assertThat(life.isDeleted()).isTrue();
    }

    @Test
    void aMemberThatHasLeftDeletesNothing() throws IOException {
        Life life = filled();
        life.install(shrunk(3, 3, "n2=http://b:1"));
        runAll(later);
        runAll(compaction);
        assertThat(life.isHidden()).isFalse();
        assertThat(life.cleanOnDisk()).isZero();
    }

    @Test
    void aFailedRecordIsRepeated() throws IOException {
        Life life = filled();
        life.install(shrunk(3));
        runAll(later);
        runAll(compaction);
        disk.failForce(disk.forces() + 1);
        runAll(directory);
        assertThat(life.cleanOnDisk()).isZero();
        life.requireHidden();
        runAll(later);
        assertThat(life.cleanOnDisk()).isEqualTo(3);
        write(life.spaces.data(), key(foreign()));
        assertThat(life.isHidden()).isFalse();
    }

    /** The directory may belong to another process then. */
    @Test
    void afterTheEndNothingIsRecorded() throws IOException {
        Life life = filled();
        life.install(shrunk(3));
        runAll(later);
        runAll(compaction);
        life.leftovers.close();
        runAll(directory);
        assertThat(life.cleanOnDisk()).isZero();
    }
}
