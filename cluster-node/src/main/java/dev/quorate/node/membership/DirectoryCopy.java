package dev.quorate.node.membership;

import dev.quorate.node.membership.MemberRecord.Standing;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a data directory in use: a checkpoint of its store, and the parts beside it. The caller
 * creates the checkpoint between {@link #of} and {@link #complete}.
 *
 * <p>The copy has two parts of its own. Its generation is 0, so that every member that remembers
 * this one knows that the copy is old. Its file {@code generations} is empty, so that a cluster of
 * which every member is started from a copy contradicts none of them, although the copies were made
 * one after the other.
 */
public final class DirectoryCopy {

    private static final List<String> LINKED =
            List.of(DataDirectory.MEMBER, DataDirectory.CLOCK, DataDirectory.SETTLED);

    private final StorageFiles files;
    private final Path from;
    private final Path to;
    private final MemberRecord member;
    private final long gcWatermark;

    private DirectoryCopy(
            StorageFiles files, Path from, Path to, MemberRecord member, long gcWatermark) {
        this.files = files;
        this.from = from;
        this.to = to;
        this.member = member;
        this.gcWatermark = gcWatermark;
    }

    /**
     * Begins a copy; null if the directory may lack what its member acknowledged.
     *
     * @param to a directory without files
     */
    public static @Nullable DirectoryCopy of(StorageFiles files, Path from, Path to)
            throws IOException {
        MemberRecord member = MemberRecord.read(files, from.resolve(DataDirectory.MEMBER));
        if (member == null || member.standing() != Standing.WHOLE) {
            return null;
        }
        return new DirectoryCopy(
                files, from, to, member, DataDirectory.gcWatermark(files, from).read());
    }

    /** Where the checkpoint of the store belongs. */
    public Path store() {
        return to.resolve(DataDirectory.STORE);
    }

    /**
     * Adds the other parts, durably. They are links, because each is replaced as a whole.
     *
     * <p>They are newer than the checkpoint. Of the clock that is right: it is ahead of every entry
     * in the checkpoint. The watermark must not have moved: the checkpoint may lack what this
     * member received before the newer one, and what was dropped up to the newer one.
     *
     * @return false if the member lost its standing meanwhile, or the watermark has moved: then the
     *     copy is of no use
     */
    public boolean complete() throws IOException {
        for (String part : LINKED) {
            files.link(from.resolve(part), to.resolve(part));
        }
        boolean isUnchanged =
                member.equals(MemberRecord.read(files, to.resolve(DataDirectory.MEMBER)))
                        && DataDirectory.gcWatermark(files, to).read() == gcWatermark;
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
