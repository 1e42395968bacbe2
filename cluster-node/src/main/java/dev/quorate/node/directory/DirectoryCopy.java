package dev.quorate.node.directory;

import dev.quorate.node.directory.MemberRecord.Standing;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a data directory in use: a checkpoint of its store, and the other parts. The caller
 * creates the checkpoint between {@link #of} and {@link #complete}.
 *
 * <p>The copy has two parts of its own. Its generation is 0, so that every member that remembers
 * this one knows that the copy is old. Its file {@code generations} is empty: the members' copies
 * are made one after the other, and their generations would contradict each other when a whole
 * cluster is started from copies.
 */
public final class DirectoryCopy {

    private static final List<String> LINKED =
            List.of(
                    DataDirectory.MEMBER,
                    DataDirectory.TOPOLOGY,
                    DataDirectory.CLOCK,
                    DataDirectory.SETTLED);

    private final StorageFiles files;
    private final Path from;
    private final Path to;
    private final MemberRecord member;
    private final long gcWatermark;
    private final int clean;

    private DirectoryCopy(StorageFiles files, Path from, Path to, MemberRecord member)
            throws IOException {
        this.files = files;
        this.from = from;
        this.to = to;
        this.member = member;
        this.gcWatermark = DataDirectory.gcWatermark(files, from).read();
        this.clean = clean(from);
    }

    /**
     * Begins a copy; null if the directory may lack acknowledged writes.
     *
     * @param to a directory without files
     */
    public static @Nullable DirectoryCopy of(StorageFiles files, Path from, Path to)
            throws IOException {
        MemberRecord member = MemberRecord.read(files, from.resolve(DataDirectory.MEMBER));
        if (member == null || member.standing() != Standing.WHOLE) {
            return null;
        }
        return new DirectoryCopy(files, from, to, member);
    }

    private int clean(Path directory) throws IOException {
        TopologyRecord record =
                TopologyRecord.read(files, directory.resolve(DataDirectory.TOPOLOGY));
        return record == null ? 0 : record.clean();
    }

    /** Where the checkpoint of the store belongs. */
    public Path store() {
        return to.resolve(DataDirectory.STORE);
    }

    /**
     * Adds the other parts, durably. They are links, because each is replaced as a whole.
     *
     * <p>They are newer than the checkpoint. For the clock this is correct: it is ahead of every
     * entry in the checkpoint. The watermark must not have moved: the checkpoint may lack entries
     * that this member received before a newer watermark, and those that were dropped up to it. It
     * may contain leftovers that were deleted since, so the member must not have become clean.
     *
     * @return false if one of them has changed, or the member lost its standing meanwhile; the copy
     *     is then unusable
     */
    public boolean complete() throws IOException {
        for (String part : LINKED) {
            files.link(from.resolve(part), to.resolve(part));
        }
        boolean isUnchanged =
                member.equals(MemberRecord.read(files, to.resolve(DataDirectory.MEMBER)))
                        && DataDirectory.gcWatermark(files, to).read() == gcWatermark
                        && clean(to) == clean;
        if (!isUnchanged) {
            return false;
        }
        new StoreMark(member.name(), member.store(), 0)
                .write(files, store().resolve(DataDirectory.IDENTITY));
        GenerationsFile.writeEmpty(files, to.resolve(DataDirectory.GENERATIONS));
        files.syncDirectory(to);
        return true;
    }
}
