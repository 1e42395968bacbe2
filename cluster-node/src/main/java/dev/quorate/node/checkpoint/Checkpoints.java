package dev.quorate.node.checkpoint;

import dev.quorate.node.directory.DirectoryCopy;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a node, in {@code checkpoints/} of its data directory.
 *
 * <p>A checkpoint is made as {@code NAME.unfinished} and renamed when it is durable; it is renamed
 * to {@code NAME.removed} before it is deleted. So a directory with a checkpoint's name is
 * complete.
 *
 * <p>{@link #make} and {@link #remove} are called by one thread at a time, {@link #list} by any.
 */
public final class Checkpoints {

    /** Maximum number; each may retain tables that the node has since replaced. */
    public static final int MAX_CHECKPOINTS = 16;

    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    static final String FOLDER = "checkpoints";
    private static final String UNFINISHED = ".unfinished";
    private static final String REMOVED = ".removed";

    /** The watermark moves every few seconds at most, and a checkpoint seldom takes as long. */
    private static final int MAX_ATTEMPTS = 3;

    private final StorageFiles files;
    private final Path data;
    private final Path folder;
    private final KeyValueStore store;
    private final BooleanSupplier votes;
    private final long reservedDiskBytes;
    private final Ticker ticker;
    private volatile @Nullable CheckpointName underWay;

    /**
     * The checkpoints of a node.
     *
     * @param data the data directory, whose store is {@code store}
     * @param votes whether the node has everything that it may have acknowledged
     * @param reservedDiskBytes free bytes of disk below which no checkpoint is made
     */
    public Checkpoints(
            StorageFiles files,
            Path data,
            KeyValueStore store,
            BooleanSupplier votes,
            long reservedDiskBytes,
            Ticker ticker) {
        this.files = files;
        this.data = data;
        this.folder = data.resolve(FOLDER);
        this.store = store;
        this.votes = votes;
        this.reservedDiskBytes = reservedDiskBytes;
        this.ticker = ticker;
    }

    /** The result of a request for a checkpoint. */
    public sealed interface Result {

        /** It is complete and durable. */
        record Made(NodeCheckpoint checkpoint) implements Result {}

        record Exists() implements Result {}

        /** {@link #MAX_CHECKPOINTS} checkpoints exist. */
        record TooMany() implements Result {}

        /** The node may lack acknowledged writes, or changed too often meanwhile. */
        record NotNow(String why) implements Result {}

        record DiskFull(String why) implements Result {}

        record Failed(String why) implements Result {}
    }

    public sealed interface Listed {

        CheckpointName name();

        record Complete(NodeCheckpoint checkpoint) implements Listed {
            @Override
            public CheckpointName name() {
                return checkpoint.name();
            }
        }

        /** Its file {@code checkpoint} is missing or damaged. */
        record Unreadable(CheckpointName name) implements Listed {}
    }

    /** The checkpoint in progress; null if none. */
    public @Nullable CheckpointName underWay() {
        return underWay;
    }

    /** Deletes checkpoints that a crash left partly made or partly removed. */
    public void removeLeftovers() {
        try {
            if (!files.isDirectory(folder)) {
                return;
            }
            for (String name : files.list(folder)) {
                if (name.endsWith(UNFINISHED) || name.endsWith(REMOVED)) {
                    files.deleteTree(folder.resolve(name));
                }
            }
            files.syncDirectory(folder);
        } catch (IOException e) {
            LOG.warn("What is left of unfinished checkpoints cannot be deleted", e);
        }
    }

    /** All checkpoints, by name. */
    public List<Listed> list() throws IOException {
        List<Listed> all = new ArrayList<>();
        for (CheckpointName name : names()) {
            Path directory = folder.resolve(name.text());
            try {
                all.add(new Listed.Complete(NodeCheckpoint.read(files, name, directory)));
            } catch (IOException | CorruptionException e) {
                // A checkpoint that was removed meanwhile is not listed.
                if (files.exists(directory)) {
                    all.add(new Listed.Unreadable(name));
                }
            }
        }
        return all;
    }

    private List<CheckpointName> names() throws IOException {
        if (!files.isDirectory(folder)) {
            if (files.exists(folder)) {
                throw new IOException(folder + " is not a directory");
            }
            return List.of();
        }
        return files.list(folder).stream()
                .sorted()
                .map(CheckpointName::of)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Makes a checkpoint, and returns when it is durable. */
    public Result make(CheckpointName name) {
        if (!votes.getAsBoolean()) {
            return new Result.NotNow("The node does not vote: it may lack what it acknowledged.");
        }
        underWay = name;
        Path unfinished = folder.resolve(name + UNFINISHED);
        try {
            if (files.freeBytes(data) < reservedDiskBytes) {
                return new Result.DiskFull("the free space is reserved for the node itself");
            }
            files.createPrivateDirectory(folder);
            List<CheckpointName> names = names();
            if (names.contains(name)) {
                return new Result.Exists();
            }
            if (names.size() >= MAX_CHECKPOINTS) {
                return new Result.TooMany();
            }
            return make(name, unfinished);
        } catch (DiskFullException | StorageException.Full e) {
            discard(unfinished);
            return new Result.DiskFull(String.valueOf(e.getMessage()));
        } catch (IOException | StorageException e) {
            discard(unfinished);
            LOG.error("The checkpoint {} cannot be made", name, e);
            return new Result.Failed(String.valueOf(e.getMessage()));
        } finally {
            underWay = null;
        }
    }

    private Result make(CheckpointName name, Path unfinished) throws IOException {
        long begunMillis = ticker.wallMillis();
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            files.deleteTree(unfinished);
            files.createPrivateDirectory(unfinished);
            DirectoryCopy copy = DirectoryCopy.of(files, data, unfinished);
            if (copy == null) {
                discard(unfinished);
                return new Result.NotNow("The node may lack what it acknowledged.");
            }
            store.checkpoint(copy.store());
            if (copy.complete()) {
                NodeCheckpoint made = new NodeCheckpoint(name, begunMillis, bytes(copy.store()));
                made.write(files, unfinished);
                publish(unfinished, folder.resolve(name.text()));
                return new Result.Made(made);
            }
        }
        discard(unfinished);
        return new Result.NotNow("Deletions were being completed meanwhile.");
    }

    private void publish(Path unfinished, Path complete) throws IOException {
        files.rename(unfinished, complete);
        try {
            files.syncDirectory(folder);
        } catch (IOException e) {
            // Its durability is unknown, and it was not reported as made.
            discard(complete);
            throw e;
        }
    }

    private long bytes(Path directory) throws IOException {
        long bytes = 0;
        for (String name : files.list(directory)) {
            try (MappedFile file = files.map(directory.resolve(name))) {
                bytes += file.bytes().byteSize();
            }
        }
        return bytes;
    }

    private void discard(Path directory) {
        try {
            files.deleteTree(directory);
        } catch (IOException e) {
            LOG.warn("{} cannot be deleted", directory, e);
        }
    }

    /**
     * Removes a checkpoint durably.
     *
     * @return false if none has this name
     */
    public boolean remove(CheckpointName name) throws IOException {
        if (!names().contains(name)) {
            return false;
        }
        Path removed = folder.resolve(name + REMOVED);
        files.deleteTree(removed);
        files.rename(folder.resolve(name.text()), removed);
        files.syncDirectory(folder);
        discard(removed);
        return true;
    }
}
