package dev.quorate.node.directory;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.node.clock.MomentFile;
import dev.quorate.node.directory.MemberRecord.Standing;
import dev.quorate.node.membership.ChangeRule;
import dev.quorate.router.decree.Decree;
import dev.quorate.router.message.KnownLife;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a data directory is worth when parts of it are lost, old, or somebody else's. */
class DataDirectoryTest {

    private static final Path DATA = Path.of("/data");
    private static final Path CURRENT = DATA.resolve("store/CURRENT");
    private static final Topology THREE =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");
    private static final Topology FOUR =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1,n4=http://d:1");
    private static final Topology EPOCH_1 = THREE.in(new UUID(1, 2));
    private static final Topology ONE = Topology.parse("n1=http://a:1");

    private final Random random = new Random(1);

    /** What can be lost by itself. */
    enum Part {
        MEMBER("member"),
        TOPOLOGY("topology"),
        GENERATIONS("generations"),
        CLOCK("clock"),
        SETTLED("settled"),
        STORE("store/CURRENT"),
        IDENTITY("store/identity"),
        HINTS("hints/CURRENT");

        private final Path path;

        Part(String path) {
            this.path = DATA.resolve(path);
        }
    }

    private DataDirectory open(FaultyDisk disk, Topology topology) throws IOException {
        return DataDirectory.open(disk, DATA, "n1", topology, false, random);
    }

    private DataDirectory open(FaultyDisk disk) throws IOException {
        return open(disk, THREE);
    }

    /** A directory as its member leaves it after a first life. */
    private FaultyDisk whole(Topology topology) throws IOException {
        FaultyDisk disk = new FaultyDisk();
        DataDirectory data = open(disk, topology);
        assertThat(data.standing()).isEqualTo(Standing.NEW);
        disk.createDirectories(data.store());
        disk.createDirectories(data.hints());
        disk.replace(CURRENT, new byte[] {1});
        disk.replace(Part.HINTS.path, new byte[] {1});
        disk.replace(Part.CLOCK.path, new byte[] {1});
        data.becomeWhole(7);
        return disk;
    }

    @Test
    void aWholeDirectoryStaysWholeOverAPowerLoss() throws IOException {
        FaultyDisk after =
                whole(THREE).afterPowerLoss(FaultyDisk.Keep.NOTHING, new SplittableRandom(1));
        DataDirectory data = open(after);
        assertThat(data.standing()).isEqualTo(Standing.WHOLE);
        assertThat(data.generation()).isEqualTo(7);
    }

    @Test
    void ofWhichAPartWasSalvagedItIsRebuilt() throws IOException {
        FaultyDisk disk = whole(THREE);
        assertThat(DataDirectory.recordLoss(disk, DATA.resolve("store"))).isTrue();
        assertThat(open(disk).standing()).isEqualTo(Standing.REBUILDING);
        assertThat(DataDirectory.recordLoss(disk, DATA.resolve("store"))).isTrue();
        assertThat(open(disk).standing()).isEqualTo(Standing.REBUILDING);
    }

    /** There is nobody to get it from, and nobody else votes. */
    @Test
    void theOnlyMemberContinuesWithWhatWasSalvaged() throws IOException {
        FaultyDisk disk = whole(ONE);
        assertThat(DataDirectory.recordLoss(disk, DATA.resolve("store"))).isFalse();
        assertThat(open(disk, ONE).standing()).isEqualTo(Standing.WHOLE);
        assertThat(DataDirectory.recordLoss(disk, Path.of("/checkpoint"))).isFalse();
    }

    @Test
    void withoutAnyOfItsPartsItIsNoLongerWhole() throws IOException {
        Part[] parts = Part.values();
        for (int bits = 0; bits < 1 << parts.length; bits++) {
            Set<Part> lost = EnumSet.noneOf(Part.class);
            for (int i = 0; i < parts.length; i++) {
                if ((bits >> i & 1) != 0) {
                    lost.add(parts[i]);
                }
            }
            FaultyDisk disk = whole(THREE);
            for (Part part : lost) {
                disk.remove(part.path);
            }
            if (lost.contains(Part.HINTS)) {
                disk = disk.afterKill();
            }
            Standing expected = expected(lost);
            assertThat(open(disk).standing()).as("without %s", lost).isEqualTo(expected);
            assertThat(open(disk).standing()).as("again, without %s", lost).isEqualTo(expected);
        }
    }

    private static Standing expected(Set<Part> lost) {
        if (EnumSet.of(Part.HINTS).containsAll(lost)) {
            return Standing.WHOLE;
        }
        return lost.containsAll(EnumSet.complementOf(EnumSet.of(Part.TOPOLOGY)))
                ? Standing.NEW // nothing was stored
                : Standing.REBUILDING;
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"STORE", "HINTS"})
    void aPartThatIsHalfWrittenIsDamage(Part part) throws IOException {
        FaultyDisk disk = whole(THREE);
        byte[] bytes = disk.read(part.path);
        if (part == Part.CLOCK || part == Part.SETTLED) {
            return; // read by their own formats
        }
        for (int length = 0; length < bytes.length; length++) {
            disk.replace(part.path, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> open(disk).known())
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining(part.path.getFileName().toString());
        }
    }

    @Test
    void aSingleMemberRefusesToStartWithoutWhatItLost() throws IOException {
        FaultyDisk disk = whole(ONE);
        disk.remove(CURRENT);
        assertThatThrownBy(() -> open(disk, ONE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("store is missing")
                .hasMessageContaining("trust-empty-disk");
        DataDirectory trusted = DataDirectory.open(disk, DATA, "n1", ONE, true, random);
        assertThat(trusted.standing()).isEqualTo(Standing.REBUILDING);
    }

    @Test
    void aStoreFromBeforeARebuildIsNotTheOneThatMemberNames() throws IOException {
        FaultyDisk disk = whole(THREE);
        byte[] member = disk.read(Part.MEMBER.path);
        byte[] identity = disk.read(Part.IDENTITY.path);
        disk.remove(CURRENT);
        DataDirectory data = open(disk);
        disk.replace(CURRENT, new byte[] {1});
        data.becomeWhole(8);
        assertThat(open(disk).standing()).isEqualTo(Standing.WHOLE);

        byte[] rebuilt = disk.read(Part.IDENTITY.path);
        disk.replace(Part.IDENTITY.path, identity);
        assertThat(open(disk.afterKill()).standing()).isEqualTo(Standing.REBUILDING);
        disk.replace(Part.IDENTITY.path, rebuilt);
        disk.replace(Part.MEMBER.path, member);
        assertThat(open(disk).standing()).isEqualTo(Standing.REBUILDING);
    }

    @Test
    void aDirectoryOfAnotherMemberIsRefused() throws IOException {
        FaultyDisk disk = whole(THREE);
        assertThatThrownBy(() -> DataDirectory.open(disk, DATA, "n2", THREE, false, random))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("data of n1, not of n2");
        disk.remove(Part.MEMBER.path);
        assertThatThrownBy(() -> DataDirectory.open(disk, DATA, "n2", THREE, false, random))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Its store holds the data of n1, not of n2");
    }

    /** A member that has only just begun has come as far as it began. */
    @Test
    void aMemberThatHasOnlyBegunIsRecordedToo() throws IOException {
        FaultyDisk disk = whole(THREE);
        KnownLife first = new KnownLife(THREE.members().getLast().number(), 1, 0, 0);
        open(disk).record(List.of(first));
        assertThat(open(disk).known()).containsExactly(first);
    }

    @Test
    void generationsThatCannotBeAreDamage() throws IOException {
        for (String line : List.of("n1 1 0", "n1 1 0 1 2", "n1 1 -1 0", "n1 1 2 1", "n1 x 0 1")) {
            FaultyDisk disk = whole(THREE);
            CheckedText.write(disk, Part.GENERATIONS.path, "quorate generations 1", List.of(line));
            assertThatThrownBy(() -> open(disk).known())
                    .as(line)
                    .isInstanceOf(CorruptionException.class);
        }
    }

    /** Its checksum is right, and still it is not what any release has written. */
    @Test
    void aMalformedMemberFileIsDamage() throws IOException {
        FaultyDisk disk = whole(THREE);
        List<String> lines = List.of("name n1", "standing whole", "store 1");
        assertDamaged(
                disk, Part.MEMBER, "quorate member 3", lines, List.of("standing odd", "store odd"));
    }

    @Test
    void aMalformedTopologyFileIsDamage() throws IOException {
        List<String> lines =
                List.of(
                        "topology " + EPOCH_1,
                        "option " + THREE,
                        "part voter",
                        "clean 0",
                        "promised 0000000000000005-00000001",
                        "accepted 0000000000000000-00000000 -");
        assertDamaged(
                whole(THREE),
                Part.TOPOLOGY,
                "quorate topology 1",
                lines,
                List.of(
                        "topology odd",
                        "part odd",
                        "clean odd",
                        "clean -1",
                        "clean 2",
                        "promised odd",
                        "accepted odd",
                        "accepted odd -",
                        "accepted 0000000000000005-00000001 -",
                        "accepted 0000000000000006-00000001 " + EPOCH_1));
    }

    private void assertDamaged(
            FaultyDisk disk, Part part, String title, List<String> lines, List<String> odds)
            throws IOException {
        List<List<String>> damaged = new ArrayList<>();
        for (int length = 0; length < lines.size(); length++) {
            damaged.add(lines.subList(0, length));
        }
        for (String odd : odds) {
            String name = odd.substring(0, odd.indexOf(' ') + 1);
            damaged.add(lines.stream().map(line -> line.startsWith(name) ? odd : line).toList());
        }
        for (List<String> each : damaged) {
            CheckedText.write(disk, part.path, title, each);
            assertThatThrownBy(() -> open(disk))
                    .as("%s", each)
                    .isInstanceOf(CorruptionException.class);
        }
        CheckedText.write(disk, part.path, title, lines);
        assertThat(open(disk)).isNotNull();
    }

    @Test
    void theTopologyOfTheDirectoryIsUsedWithTheStateOfItsDecree() throws IOException {
        FaultyDisk disk = whole(THREE);
        Timestamp ballot = new Timestamp(5, 1);
        Topology next = EPOCH_1.next(EPOCH_1.members());
        TopologyRecord record =
                new TopologyRecord(
                        EPOCH_1,
                        THREE.canonicalText(),
                        TopologyRecord.Part.VOTER,
                        1,
                        Decree.NONE.accept(ballot, next.canonicalText()));
        open(disk).record(record);
        Topology moved = Topology.parse("n1=http://x:9,n2=http://y:9,n3=http://z:9");
        assertThat(open(disk, moved).topology()).isEqualTo(record);
        disk.remove(CURRENT);
        assertThat(open(disk).topology())
                .as("a member that may have lost something takes no part")
                .isEqualTo(record.as(TopologyRecord.Part.LEARNER));
    }

    /** Its store may contain what was deleted since. */
    @Test
    void aCopyIsUnusableIfTheMemberBecomesCleanMeanwhile() throws IOException {
        FaultyDisk disk = whole(THREE);
        DataDirectory data = open(disk);
        data.record(data.topology().installing(EPOCH_1, "", TopologyRecord.Part.VOTER));
        DirectoryCopy late = DirectoryCopy.of(disk, DATA, Path.of("/late"));
        data.record(data.topology().cleanUpTo(1));
        assertThat(late.complete()).isFalse();
        DirectoryCopy copy = DirectoryCopy.of(disk, DATA, Path.of("/copy"));
        assertThat(copy.complete()).isTrue();
        assertThat(TopologyRecord.read(disk, Path.of("/copy/topology"))).isEqualTo(data.topology());
    }

    /** What others have heard of is not to be forgotten with the disk, nor what may be dropped. */
    @Test
    void aRebuiltMemberStillKnowsTheOthersGenerations() throws IOException {
        FaultyDisk disk = whole(THREE);
        KnownLife life = new KnownLife(THREE.members().getLast().number(), 1, 3, 4);
        open(disk).record(List.of(life));
        open(disk).gcWatermark().write(12_345);
        disk.remove(CURRENT);
        DataDirectory data = open(disk);
        assertThat(data.standing()).isEqualTo(Standing.REBUILDING);
        data.becomeWhole(8);
        assertThat(open(disk).known()).containsExactly(life);
        assertThat(open(disk).gcWatermark().read()).isEqualTo(12_345);
    }

    @Test
    void everyDamagedFileIsReported() throws IOException {
        FaultyDisk disk = whole(THREE);
        disk.remove(Part.CLOCK.path);
        assertThat(damaged(disk)).as("what is not there is no damage").isEmpty();
        List<Part> checked =
                List.of(
                        Part.MEMBER,
                        Part.TOPOLOGY,
                        Part.IDENTITY,
                        Part.GENERATIONS,
                        Part.CLOCK,
                        Part.SETTLED);
        for (Part part : checked) {
            FaultyDisk one = disk.afterKill();
            one.replace(part.path, new byte[] {1});
            assertThat(damaged(one)).containsExactly(part.path.toString());
        }
        for (Part part : checked) {
            disk.replace(part.path, new byte[] {1});
        }
        assertThat(damaged(disk)).hasSameSizeAs(checked);
    }

    private static List<String> damaged(FaultyDisk disk) throws IOException {
        List<String> files = new ArrayList<>();
        DataDirectory.verify(
                disk,
                DATA.resolve("store"),
                damage -> files.add(((CorruptionException) damage).file()));
        return files;
    }

    @Test
    void howFarTheMembersHadComeIsRead() throws IOException {
        FaultyDisk disk = whole(THREE);
        List<KnownLife> known = new ArrayList<>();
        THREE.members().forEach(each -> known.add(new KnownLife(each.number(), -5, 3, 12)));
        open(disk).record(known);
        assertThat(open(disk).known()).isEqualTo(known);
        DataDirectory one = DataDirectory.open(disk, DATA, "n1", THREE, false, random);
        assertThat(one.known()).hasSize(3);
    }

    // ---- topologies

    @Test
    void dataOfAnotherPlacementIsRefused() throws IOException {
        FaultyDisk disk = whole(THREE);
        assertThatThrownBy(() -> open(disk, FOUR))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the members n1, n2, n3 (3 copies")
                .hasMessageContaining("start with the topology of before")
                .hasMessageContaining("moving-data.md");
        assertThatThrownBy(() -> open(disk, new Topology(THREE.members(), 2)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("now has the members n1, n2, n3 (2 copies");
        Topology moved = Topology.parse("n1=http://x:9,n2=http://y:9,n3=http://z:9");
        assertThat(open(disk, moved).standing()).isEqualTo(Standing.WHOLE);
    }

    @Test
    void aRebuildRequiresItsPlacementButANewDirectoryDoesNot() throws IOException {
        FaultyDisk disk = whole(THREE);
        disk.remove(CURRENT);
        assertThat(open(disk).standing()).isEqualTo(Standing.REBUILDING);
        assertThatThrownBy(() -> open(disk, FOUR)).isInstanceOf(IOException.class);

        FaultyDisk fresh = new FaultyDisk();
        assertThat(open(fresh, THREE).standing()).isEqualTo(Standing.NEW);
        fresh.replace(Part.CLOCK.path, new byte[] {1});
        assertThat(open(fresh, FOUR).standing()).as("it is claimed").isEqualTo(Standing.NEW);
    }

    /** An option founds a cluster: it does not know who has joined or left since. */
    @Test
    void aChangedTopologyIsValidWhateverTheOptionNames() throws IOException {
        FaultyDisk disk = whole(THREE);
        Topology joint =
                ChangeRule.withMembers(
                        THREE.in(new UUID(1, 2)),
                        Map.of("n4", URI.create("http://d:1")),
                        Set.of(),
                        Set.of(),
                        Map.of(),
                        0);
        for (Topology used : List.of(joint, joint.completed())) {
            open(disk).record(TopologyRecord.ofOption(used));
            DataDirectory opened = open(disk);
            assertThat(opened.standing()).isEqualTo(Standing.WHOLE);
            assertThat(opened.topology().topology()).isEqualTo(used);
        }
    }

    /** Whoever goes back to an earlier release must lose nothing by it. */
    @ParameterizedTest
    @EnumSource(names = {"MEMBER", "GENERATIONS", "IDENTITY"})
    void whatALaterReleaseWroteIsRefusedAndUnchanged(Part part) throws IOException {
        FaultyDisk disk = whole(THREE);
        String text = new String(disk.read(part.path), US_ASCII);
        int lineEnd = text.indexOf('\n');
        String later = text.substring(0, text.lastIndexOf(' ', lineEnd)) + " 9";
        CheckedText.write(disk, part.path, later, List.of("whatever it has"));
        List<byte[]> before = contents(disk);
        assertThatThrownBy(() -> open(disk).known())
                .isInstanceOf(StorageException.Io.class)
                .hasMessageContaining(part.path + " has format 9, this program reads ");
        assertThat(contents(disk)).usingElementComparator(Arrays::compare).isEqualTo(before);
    }

    private static List<byte[]> contents(FaultyDisk disk) {
        return Arrays.stream(Part.values()).map(part -> disk.read(part.path)).toList();
    }

    @Test
    void aMomentOfALaterReleaseIsRefused() throws IOException {
        FaultyDisk disk = new FaultyDisk();
        disk.createDirectories(DATA);
        MomentFile file = new MomentFile(disk, Part.SETTLED.path, 7);
        file.write(42);
        ByteBuffer bytes = ByteBuffer.wrap(disk.read(Part.SETTLED.path));
        bytes.putInt(4, 9);
        bytes.putInt(20, Crc32c.of(bytes, 0, 20));
        disk.replace(Part.SETTLED.path, bytes.array());
        assertThatThrownBy(file::read)
                .isInstanceOf(StorageException.Io.class)
                .hasMessageContaining("settled has format 9, this program reads 1");
    }
}
