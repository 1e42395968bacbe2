package dev.quorate.node.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.node.checkpoint.Checkpoints.Listed;
import dev.quorate.node.checkpoint.Checkpoints.Result;
import dev.quorate.node.directory.DataDirectory;
import dev.quorate.node.directory.MemberRecord.Standing;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreClocks;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.io.DiskFiles;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints of one data directory on a disk that fails: each is complete, or not there. */
class CheckpointsTest {

    private static final Topology TOPOLOGY =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");
    private static final CheckpointName NAME = new CheckpointName("first-1");
    private static final int ENTRIES = 20;

    /** The methods of a disk that change it. */
    private static final Set<String> STEPS =
            Set.of(
                    "createDirectories",
                    "createPrivateDirectory",
                    "create",
                    "rename",
                    "link",
                    "delete",
                    "deleteTree",
                    "syncDirectory");

    /** What happens at a step. */
    enum Fault {
        /** The process is gone: this step and all after it fail. */
        KILL,
        FULL,
        IO
    }

    @TempDir Path temporary;
    private Path path;
    private Path folder;
    private DataDirectory data;
    private LsmStore store;
    private boolean votes = true;

    private final StorageFiles disk = new DiskFiles();
    private Fault fault = Fault.IO;
    private int stepsLeft = Integer.MAX_VALUE;
    private int watermarksLeft;

    private final StorageFiles failing =
            (StorageFiles)
                    Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {StorageFiles.class},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("replace")) {
                                    return InvocationHandler.invokeDefault(
                                            proxy, method, arguments);
                                }
                                step(method.getName(), arguments);
                                try {
                                    return method.invoke(disk, arguments);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            });

    private void step(String method, Object[] arguments) throws IOException {
        if (method.equals("link") && arguments[0].toString().endsWith("clock")) {
            if (watermarksLeft-- > 0) {
                data.gcWatermark().write(1_000 - watermarksLeft);
            }
        }
        if (!STEPS.contains(method) || stepsLeft-- > 0) {
            return;
        }
        if (fault != Fault.KILL) {
            stepsLeft = Integer.MAX_VALUE;
        } else {
            stepsLeft = 0;
        }
        throw fault == Fault.FULL ? new DiskFullException("full", null) : new IOException("fault");
    }

    private static Entry entry(int number) {
        byte[] key = ("key " + number).getBytes(StandardCharsets.UTF_8);
        return Entry.value(key, new Timestamp(1 + number, 1), new byte[100], 3);
    }

    private static LsmStore open(StorageFiles files, Path directory) {
        return LsmStore.open(
                files,
                directory,
                StorageOptions.defaults().withMemtableBytes(16 << 10).withReservedDiskBytes(0),
                StoreExecutors.inPlace((millis, task) -> {}),
                new StoreClocks(() -> 0),
                cause -> {});
    }

    @BeforeEach
    void aNodeWithEntries() throws IOException {
        path = temporary.resolve("data");
        folder = path.resolve("checkpoints");
        data = DataDirectory.open(disk, path, "n1", TOPOLOGY, false, new Random(1));
        disk.createDirectories(data.store());
        store = open(failing, data.store());
        Files.write(path.resolve("clock"), new byte[] {1});
        data.becomeWhole(7);
        for (int i = 0; i < ENTRIES; i++) {
            store.write(
                    entry(i),
                    new WriteCompletion() {
                        @Override
                        public void stored(Timestamp newest) {}

                        @Override
                        public void failed(StorageException cause) {
                            throw cause;
                        }
                    });
        }
        store.flush();
    }

    @AfterEach
    void close() {
        stepsLeft = Integer.MAX_VALUE;
        store.close();
    }

    private Checkpoints checkpoints(StorageFiles files) {
        return new Checkpoints(files, path, store, () -> votes, 0, SystemTicker.INSTANCE);
    }

    private List<String> inFolder() throws IOException {
        try (Stream<Path> names = Files.list(folder)) {
            return names.map(name -> name.getFileName().toString()).sorted().toList();
        }
    }

    private void requireComplete(CheckpointName name) throws IOException {
        Path copy = folder.resolve(name.text());
        assertThat(DataDirectory.open(disk, copy, "n1", TOPOLOGY, false, new Random(2)))
                .satisfies(
                        opened -> {
                            assertThat(opened.standing()).isEqualTo(Standing.WHOLE);
                            assertThat(opened.generation()).isZero();
                            assertThat(opened.known()).isEmpty();
                        });
        try (LsmStore opened = open(disk, copy.resolve("store"))) {
            for (int i = 0; i < ENTRIES; i++) {
                assertThat(opened.lookup(entry(i).key())).isInstanceOf(Lookup.Found.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void atEachStepOfWhichACheckpointFailsItIsCompleteOrNotThere(Fault next) throws IOException {
        fault = next;
        Result result;
        int step = 0;
        do {
            stepsLeft = step++;
            result = checkpoints(failing).make(NAME);
            stepsLeft = Integer.MAX_VALUE;
            if (fault == Fault.KILL && Files.exists(folder)) {
                checkpoints(disk).removeLeftovers();
            }
            boolean isThere = !checkpoints(disk).list().isEmpty();
            if (Files.exists(folder)) {
                assertThat(inFolder()).isEqualTo(isThere ? List.of("first-1") : List.of());
            }
            if (isThere) {
                requireComplete(NAME);
                assertThat(checkpoints(disk).remove(NAME)).isTrue();
                assertThat(inFolder()).isEmpty();
                // Only a process that dies leaves one that it has not promised.
                assertThat(fault == Fault.KILL || result instanceof Result.Made).isTrue();
            } else {
                assertThat(result)
                        .as("step %s", step)
                        .isInstanceOf(
                                fault == Fault.FULL ? Result.DiskFull.class : Result.Failed.class);
            }
        } while (!(result instanceof Result.Made));
        assertThat(step).isGreaterThan(10);
    }

    @Test
    void atEachStepOfARemovalItIsCompleteOrNotThere() throws IOException {
        fault = Fault.KILL;
        boolean isRemoved = false;
        for (int step = 0; !isRemoved; step++) {
            if (checkpoints(disk).list().isEmpty()) {
                assertThat(checkpoints(disk).make(NAME)).isInstanceOf(Result.Made.class);
            }
            stepsLeft = step;
            try {
                isRemoved = checkpoints(failing).remove(NAME) && stepsLeft > 0;
            } catch (IOException e) {
                assertThat(e).hasMessage("fault");
            }
            stepsLeft = Integer.MAX_VALUE;
            if (checkpoints(disk).list().isEmpty()) {
                checkpoints(disk).removeLeftovers();
                assertThat(inFolder()).isEmpty();
            } else {
                assertThat(inFolder()).isEqualTo(List.of("first-1"));
                requireComplete(NAME);
            }
        }
        assertThat(checkpoints(disk).remove(NAME)).isFalse();
    }

    @Test
    void aListHasNamesTimesAndBytes() throws IOException {
        assertThat(checkpoints(disk).list()).isEmpty();
        long before = SystemTicker.INSTANCE.wallMillis();
        assertThat(checkpoints(disk).make(NAME)).isInstanceOf(Result.Made.class);
        assertThat(checkpoints(disk).make(NAME)).isEqualTo(new Result.Exists());
        assertThat(checkpoints(disk).list())
                .singleElement()
                .isInstanceOfSatisfying(
                        Listed.Complete.class,
                        listed -> {
                            assertThat(listed.name()).isEqualTo(NAME);
                            assertThat(listed.checkpoint().madeMillis())
                                    .isBetween(before, SystemTicker.INSTANCE.wallMillis());
                            assertThat(listed.checkpoint().bytes()).isGreaterThan(100 * ENTRIES);
                        });
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        Files.writeString(folder.resolve("first-1").resolve("checkpoint"), "nonsense");
        assertThat(checkpoints(disk).list()).containsExactly(new Listed.Unreadable(NAME));
    }

    @Test
    void thereAreSixteenAtMost() {
        for (int i = 0; i < Checkpoints.MAX_CHECKPOINTS; i++) {
            assertThat(checkpoints(disk).make(new CheckpointName("c" + i)))
                    .isInstanceOf(Result.Made.class);
        }
        assertThat(checkpoints(disk).make(NAME)).isEqualTo(new Result.TooMany());
    }

    @Test
    void aMemberThatMayLackSomethingMakesNone() throws IOException {
        votes = false;
        assertThat(checkpoints(disk).make(NAME)).isInstanceOf(Result.NotNow.class);
        votes = true;
        data.loseStanding();
        assertThat(checkpoints(disk).make(NAME)).isInstanceOf(Result.NotNow.class);
        assertThat(checkpoints(disk).list()).isEmpty();
    }

    /** What a newer watermark promises of the store, the checkpoint may lack. */
    @Test
    void whenTheWatermarkMovesItBeginsAgain() throws IOException {
        watermarksLeft = 2;
        assertThat(checkpoints(failing).make(NAME)).isInstanceOf(Result.Made.class);
        Path copied = folder.resolve("first-1").resolve("settled");
        assertThat(Files.readAllBytes(copied))
                .isEqualTo(Files.readAllBytes(path.resolve("settled")));
        watermarksLeft = 3;
        assertThat(checkpoints(failing).make(new CheckpointName("second")))
                .isInstanceOf(Result.NotNow.class);
        assertThat(inFolder()).containsExactly("first-1");
    }

    @Test
    void aLinkInPlaceOfTheFolderIsNotFollowed() throws IOException {
        Path elsewhere = Files.createDirectories(temporary.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("x.unfinished"), "somebody else's");
        Files.createDirectories(elsewhere.resolve("first-1"));
        Files.createSymbolicLink(folder, elsewhere);
        checkpoints(disk).removeLeftovers();
        assertThat(checkpoints(disk).make(new CheckpointName("second")))
                .isInstanceOf(Result.Failed.class);
        assertThatThrownBy(() -> checkpoints(disk).list()).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> checkpoints(disk).remove(NAME)).isInstanceOf(IOException.class);
        assertThat(elsewhere.resolve("x.unfinished")).hasContent("somebody else's");
        assertThat(elsewhere.resolve("first-1")).isDirectory();
        assertThat(elsewhere.resolve("second")).doesNotExist();
    }

    @Test
    void aLinkInPlaceOfACheckpointIsRemovedAndNotFollowed() throws IOException {
        Path elsewhere = Files.createDirectories(temporary.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("precious"), "kept");
        Files.createDirectories(folder);
        Files.createSymbolicLink(folder.resolve("first-1"), elsewhere);
        Files.createSymbolicLink(folder.resolve("second.unfinished"), elsewhere);
        checkpoints(disk).removeLeftovers();
        assertThat(inFolder()).containsExactly("first-1");
        assertThat(checkpoints(disk).make(NAME)).isEqualTo(new Result.Exists());
        assertThat(checkpoints(disk).remove(NAME)).isTrue();
        assertThat(inFolder()).isEmpty();
        assertThat(elsewhere.resolve("precious")).hasContent("kept");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "../a",
                "a/b",
                "/a",
                "a.b",
                "a.unfinished",
                "A",
                "a b",
                "a\0",
                "a\n",
                "%61",
                "ä",
                "a\\b",
                "~"
            })
    void otherNamesAreNone(String text) {
        assertThat(CheckpointName.of(text)).isNull();
        assertThatThrownBy(() -> new CheckpointName(text))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void namesHaveUpTo64Characters() {
        char[] letters = new char[65];
        Arrays.fill(letters, 'a');
        assertThat(CheckpointName.of(new String(letters))).isNull();
        assertThat(CheckpointName.of(new String(letters, 0, 64))).isNotNull();
        assertThat(CheckpointName.of(null)).isNull();
    }
}
