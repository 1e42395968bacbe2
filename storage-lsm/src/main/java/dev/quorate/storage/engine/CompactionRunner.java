package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.compaction.CompactionDecision;
import dev.quorate.storage.compaction.CompactionPicker;
import dev.quorate.storage.compaction.Compactor;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.SerialTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Performs, one after the other, the compactions that the picker decides on. */
final class CompactionRunner {

    /** Tables that are written and forced, but not yet in the manifest. */
    private record Written(List<SSTable> inputs, List<TableMetadata> outputs) {}

    private final StorageFiles files;
    private final Path directory;
    private final AtomicLong fileNumbers;
    private final LiveVersion live;
    private final Consumer<StorageException> onFailure;
    private final CompactionPicker picker = new CompactionPicker();
    private final Compactor compactor;
    private final SerialTask task;
    private final LongAdder compactions = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder bytesWritten = new LongAdder();
    private final LongAdder corruptions = new LongAdder();
    private volatile boolean cancelled;

    /** What a full disk kept from the manifest; committed first, as it is. Of the task alone. */
    private @Nullable Written unfinished;

    CompactionRunner(
            StorageFiles files,
            Path directory,
            StorageOptions options,
            AtomicLong fileNumbers,
            LiveVersion live,
            Executor background,
            LongSupplier wallMillis,
            Consumer<StorageException> onFailure) {
        this.files = files;
        this.directory = directory;
        this.fileNumbers = fileNumbers;
        this.live = live;
        this.onFailure = onFailure;
        this.compactor =
                new Compactor(files, directory, options, Compactor.TABLE_BYTES, wallMillis);
        this.task = new SerialTask(background, this::run);
    }

    void schedule() {
        task.schedule();
    }

    private void run() {
        try {
            boolean more = true;
            while (more && !cancelled) {
                more = compactOnce();
            }
        } catch (CancellationException e) {
            // The store is closing, and nothing was left behind.
        } catch (CorruptionException e) {
            // The damaged table stays, and every look-up that meets the damage says so. Compaction
            // ends here, since the picker would choose the same tables for ever.
            corruptions.increment();
            cancelled = true;
        } catch (StorageException e) {
            onFailure.accept(e);
        } catch (IOException e) {
            onFailure.accept(Failures.of("compaction", e));
        } catch (RuntimeException | Error e) {
            onFailure.accept(new StorageException.Io("compaction failed: " + e, e));
            throw e;
        }
    }

    private boolean compactOnce() throws IOException {
        Written written = unfinished;
        if (written == null) {
            written =
                    switch (picker.pick(live.tables())) {
                        case CompactionDecision.Nothing nothing -> null;
                        case CompactionDecision.Compact decision -> merge(decision);
                    };
        }
        if (written == null) {
            return false;
        }
        unfinished = written;
        live.commitCompaction(written.inputs(), written.outputs());
        unfinished = null;
        compactions.increment();
        for (SSTable input : written.inputs()) {
            bytesRead.add(input.metadata().fileBytes());
        }
        for (TableMetadata output : written.outputs()) {
            bytesWritten.add(output.fileBytes());
        }
        return true;
    }

    private @Nullable Written merge(CompactionDecision.Compact decision) throws IOException {
        long inputBytes = 0;
        for (TableMetadata input : decision.inputs()) {
            inputBytes += input.fileBytes();
        }
        if (files.freeBytes(directory) < inputBytes) {
            // It would fill the disk and then fail. Each flush asks again, and so does SpaceWatch.
            return null;
        }
        List<SSTable> inputs = live.openTables(decision.inputs());
        List<TableMetadata> outputs =
                compactor.compact(decision, inputs, fileNumbers::getAndIncrement, () -> cancelled);
        files.syncDirectory(directory);
        return new Written(inputs, outputs);
    }

    long compactions() {
        return compactions.sum();
    }

    long bytesRead() {
        return bytesRead.sum();
    }

    long bytesWritten() {
        return bytesWritten.sum();
    }

    long corruptions() {
        return corruptions.sum();
    }

    void stop() {
        cancelled = true;
        Failures.await(task.stop());
    }
}
