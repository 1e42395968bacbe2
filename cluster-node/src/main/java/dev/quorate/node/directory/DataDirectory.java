package dev.quorate.node.directory;

import static java.util.stream.Collectors.joining;

import dev.quorate.node.clock.ClockReservation;
import dev.quorate.node.clock.MomentFile;
import dev.quorate.node.directory.Contents.Worth;
import dev.quorate.node.directory.MemberRecord.Standing;
import dev.quorate.router.message.KnownLife;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.inspect.StoppedStore;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a node. The layout, and the consequences of the loss of each part, are in
 * docs/formats/data-directory.md:
 *
 * <pre>
 * member           the owner of the data, and its standing: {@link MemberRecord}
 * topology         the members, and the choice of the next topology: {@link TopologyRecord}
 * generations      the members' generations: {@link GenerationsFile}
 * clock            the bound of its timestamps: {@link ClockReservation}
 * settled          the GC watermark
 * store/           entries
 * store/identity   the identity of the store: {@link StoreMark}
 * hints/           hints for other members; absent while there are none
 * checkpoints/     copies of everything but hints: {@link DirectoryCopy}
 * </pre>
 *
 * <p>Used by one thread at a time: changes run in a serial executor.
 */
public final class DataDirectory implements LifeRecorder {

    private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

    public static final String MEMBER = "member";
    static final String TOPOLOGY = "topology";
    static final String GENERATIONS = "generations";
    static final String CLOCK = "clock";
    static final String SETTLED = "settled";
    static final String STORE = "store";
    static final String IDENTITY = "identity";
    static final String HINTS = "hints";

    private static final int SETTLED_MAGIC = 0x51534554;

    private final StorageFiles files;
    private final Path directory;
    private final String name;
    private final RandomGenerator random;
    private Standing standing = Standing.NEW;
    private long store;
    private long generation;
    private TopologyRecord topology;

    private DataDirectory(
            StorageFiles files,
            Path directory,
            String name,
            TopologyRecord topology,
            RandomGenerator random) {
        this.files = files;
        this.directory = directory;
        this.name = name;
        this.topology = topology;
        this.random = random;
    }

    /**
     * Opens the directory; creates it and claims it for the member if it is new.
     *
     * @param option the topology of the options
     * @param trusted whether to treat a directory that lost something as complete
     * @param random draws the identity of a new store
     * @throws IOException if it belongs to another member or cluster, if it lost data that no other
     *     member can have, or if the disk fails
     * @throws CorruptionException if a file is corrupt
     */
    public static DataDirectory open(
            StorageFiles files,
            Path directory,
            String name,
            Topology option,
            boolean trusted,
            RandomGenerator random)
            throws IOException {
        files.createDirectories(directory);
        Contents contents = contents(files, directory);
        TopologyRecord recorded = contents.topology();
        TopologyRecord topology =
                recorded == null
                        ? TopologyRecord.ofOption(option)
                        : recorded.topology().epoch() == 0
                                ? TopologyRecord.ofOption(option).with(recorded.next())
                                : recorded;
        DataDirectory data = new DataDirectory(files, directory, name, topology, random);
        data.generation = contents.generation();
        data.begin(contents.worth(name, option), trusted);
        return data;
    }

    /**
     * The topology that a member used last; null if the directory has been none.
     *
     * @throws CorruptionException if the file is corrupt
     */
    public static @Nullable Topology recorded(StorageFiles files, Path directory)
            throws IOException {
        TopologyRecord record = TopologyRecord.read(files, directory.resolve(TOPOLOGY));
        return record == null ? null : record.topology();
    }

    private void begin(Worth worth, boolean trusted) throws IOException {
        switch (worth) {
            case Worth.Refused(String why) -> throw new IOException(directory + ": " + why + ".");
            case Worth.New() -> note(Standing.NEW, random.nextLong());
            case Worth.Rebuilding() -> note(Standing.REBUILDING, random.nextLong());
            case Worth.Incomplete(List<String> why) -> {
                String lost = directory + " is incomplete: " + String.join(", ", why);
                if (topology.topology().size() == 1 && !trusted) {
                    throw new IOException(
                            lost
                                    + ". No other member has the lost entries: restore the whole"
                                    + " directory, or continue without them by"
                                    + " trust-empty-disk=true.");
                }
                LOG.warn("{}: what this member stored may be lost", lost);
                loseStanding();
            }
            case Worth.Whole(long found) -> {
                standing = Standing.WHOLE;
                store = found;
            }
        }
    }

    private static Contents contents(StorageFiles files, Path directory) throws IOException {
        Path store = directory.resolve(STORE);
        return new Contents(
                MemberRecord.read(files, directory.resolve(MEMBER)),
                TopologyRecord.read(files, directory.resolve(TOPOLOGY)),
                files.exists(store.resolve(FileNames.CURRENT)),
                StoreMark.read(files, store.resolve(IDENTITY)),
                files.exists(directory.resolve(CLOCK)),
                files.exists(directory.resolve(SETTLED)),
                files.exists(directory.resolve(GENERATIONS)),
                files.exists(directory.resolve(HINTS).resolve(FileNames.CURRENT)));
    }

    /**
     * Checks a stopped node's files outside its store. A missing file is not damage.
     *
     * @param damaged called for each corrupt file
     */
    public static void verify(StorageFiles files, Path store, Consumer<StorageException> damaged)
            throws IOException {
        Path directory = store.getParent();
        if (directory == null || !store.endsWith(STORE)) {
            return;
        }
        verify(() -> MemberRecord.read(files, directory.resolve(MEMBER)), damaged);
        verify(() -> TopologyRecord.read(files, directory.resolve(TOPOLOGY)), damaged);
        verify(() -> StoreMark.read(files, store.resolve(IDENTITY)), damaged);
        verify(() -> GenerationsFile.lines(files, directory.resolve(GENERATIONS)), damaged);
        verify(() -> ClockReservation.verify(files, directory), damaged);
        verify(() -> gcWatermark(files, directory).read(), damaged);
    }

    /**
     * Records that a store may lack acknowledged writes: after its next start the member does not
     * vote before it has compared with all others.
     *
     * @return whether the member will compare; false for a store that belongs to no member, and for
     *     the only member of a cluster
     */
    public static boolean recordLoss(StorageFiles files, Path store) throws IOException {
        Path directory = store.getParent();
        MemberRecord record =
                directory == null || !store.endsWith(STORE)
                        ? null
                        : MemberRecord.read(files, directory.resolve(MEMBER));
        if (directory == null || record == null) {
            return false;
        }
        TopologyRecord topology = TopologyRecord.read(files, directory.resolve(TOPOLOGY));
        if (topology != null && topology.topology().size() == 1) {
            return false;
        }
        if (record.standing() == Standing.WHOLE) {
            new MemberRecord(record.name(), Standing.REBUILDING, record.store())
                    .write(files, directory.resolve(MEMBER));
        }
        return true;
    }

    /**
     * How a stopped member can go on without members that are lost for good.
     *
     * @param name the member
     * @param standing of its data
     * @param epoch of the topology without the lost members
     * @param option the members of that topology, as the option {@code topology}
     * @param copies its replication factor
     * @param completeMillis each entry that was written before is in its store, in milliseconds
     *     since 1970; 0 if it is not known
     */
    public record Survivor(
            String name,
            Standing standing,
            int epoch,
            String option,
            int copies,
            long completeMillis) {}

    /**
     * Lets a stopped member go on without members that are lost for good.
     *
     * @param lost the names of the lost members
     * @param isAccepted whether to record it; otherwise nothing is changed
     * @throws IOException with one sentence if it cannot
     */
    public static Survivor force(
            StorageFiles files, Path directory, Set<String> lost, boolean isAccepted)
            throws IOException {
        try (var _ = StoppedStore.lock(files, directory.resolve(STORE))) {
            MemberRecord member = MemberRecord.read(files, directory.resolve(MEMBER));
            TopologyRecord record = TopologyRecord.read(files, directory.resolve(TOPOLOGY));
            if (member == null || record == null) {
                throw new IOException(directory + ": This is not the data directory of a member.");
            }
            Topology before = record.topology();
            String refusal = refusalWithout(before, member.name(), lost);
            if (refusal != null) {
                throw new IOException(directory + ": " + refusal);
            }
            Topology after = before.without(lost);
            if (isAccepted) {
                record.installing(after, "", TopologyRecord.Part.VOTER)
                        .write(files, directory.resolve(TOPOLOGY));
            }
            long complete = gcWatermark(files, directory).read();
            return new Survivor(
                    member.name(),
                    member.standing(),
                    after.epoch(),
                    after.members().stream()
                            .map(each -> each.name() + "=" + each.url())
                            .collect(joining(",")),
                    after.replicationFactor(),
                    complete);
        }
    }

    /**
     * Why a member cannot go on without others, in one sentence; null if it can. Only if it owns
     * all keys, as all other members that are left: then no key gets an owner that lacks it.
     *
     * @param lost names of members that are lost for good
     */
    private static @Nullable String refusalWithout(
            Topology current, String self, Set<String> lost) {
        for (String name : lost) {
            if (current.member(name) == null) {
                return "The cluster has no member '" + name + "'.";
            }
        }
        if (lost.contains(self)) {
            return "This is the directory of " + self + " itself.";
        }
        if (current.cluster() == null) {
            return "This member has not been in a cluster yet.";
        }
        if (current.size() - lost.size() > current.size() / 2) {
            return "A majority of the members is left, so each lost one can be replaced"
                    + " (docs/operations.md#replacing-a-dead-node).";
        }
        return current.replicationFactor() < current.size()
                ? "The members that are left do not have a copy of each key: %s of %s have one."
                        .formatted(current.replicationFactor(), current.size())
                : null;
    }

    private interface Reading {
        void read() throws IOException;
    }

    private static void verify(Reading reading, Consumer<StorageException> damaged)
            throws IOException {
        try {
            reading.read();
        } catch (CorruptionException e) {
            damaged.accept(e);
        }
    }

    /** The standing of the data according to this directory. */
    public Standing standing() {
        return standing;
    }

    /** This member's generation according to the store; 0 if unknown. */
    public long generation() {
        return generation;
    }

    /**
     * Records that this member has every write that it acknowledged.
     *
     * @param reached its generation, above that of any of its other lives
     */
    public void becomeWhole(long reached) throws IOException {
        advance(reached);
        if (!files.exists(directory.resolve(SETTLED))) {
            gcWatermark().write(0);
        }
        if (!files.exists(directory.resolve(GENERATIONS))) {
            record(List.of());
        }
        if (!files.exists(directory.resolve(TOPOLOGY))) {
            record(topology);
        }
        note(Standing.WHOLE, store);
    }

    /**
     * Records that this member may lack acknowledged writes, and gives its store a new identity.
     */
    @Override
    public void loseStanding() throws IOException {
        if (topology.topology().epoch() > 0) {
            record(topology.as(TopologyRecord.Part.LEARNER));
        }
        note(Standing.REBUILDING, random.nextLong());
    }

    /** Records this member's generation. */
    @Override
    public void advance(long reached) throws IOException {
        files.createDirectories(store());
        new StoreMark(name, store, reached).write(files, store().resolve(IDENTITY));
        generation = reached;
    }

    private void note(Standing next, long nextStore) throws IOException {
        new MemberRecord(name, next, nextStore).write(files, directory.resolve(MEMBER));
        standing = next;
        store = nextStore;
    }

    /** The topology that this member uses, and its state in the decree of the next one. */
    public TopologyRecord topology() {
        return topology;
    }

    /** Records another topology, or another state in a decree. */
    public void record(TopologyRecord next) throws IOException {
        next.write(files, directory.resolve(TOPOLOGY));
        topology = next;
    }

    /** The members' generations, as recorded. */
    public List<KnownLife> known() throws IOException {
        return generations().read();
    }

    /** Records the members' generations. */
    @Override
    public void record(Collection<KnownLife> known) throws IOException {
        generations().write(known);
    }

    private GenerationsFile generations() {
        return new GenerationsFile(files, directory.resolve(GENERATIONS), topology.topology());
    }

    public MomentFile gcWatermark() {
        return gcWatermark(files, directory);
    }

    static MomentFile gcWatermark(StorageFiles files, Path directory) {
        return new MomentFile(files, directory.resolve(SETTLED), SETTLED_MAGIC);
    }

    public Path path() {
        return directory;
    }

    /** The directory of the hints. Absent while there are none. */
    public Path hints() {
        return directory.resolve(HINTS);
    }

    public Path store() {
        return directory.resolve(STORE);
    }
}
