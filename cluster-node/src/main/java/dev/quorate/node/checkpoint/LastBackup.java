package dev.quorate.node.checkpoint;

import dev.quorate.node.clock.MomentFile;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Figures;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When the last backup that contains this node was completed, by this node's clock. The file {@code
 * last-backup} is a {@link MomentFile} with the magic "QBKP". Checkpoints do not contain it. If it
 * is missing or damaged, the time is unknown.
 */
public final class LastBackup {

    static final String FILE_NAME = "last-backup";
    private static final int MAGIC = 0x51424b50;
    private static final Logger LOG = LoggerFactory.getLogger(LastBackup.class);

    private final MomentFile file;
    private final Ticker ticker;
    private volatile long completedMillis;

    public LastBackup(StorageFiles files, Path data, Ticker ticker) {
        this.file = new MomentFile(files, data.resolve(FILE_NAME), MAGIC);
        this.ticker = ticker;
        try {
            completedMillis = file.read();
        } catch (IOException | StorageException e) {
            LOG.warn(
                    "{} cannot be read, so the time of the last backup is unknown until the next"
                            + " one: {}",
                    file.file(),
                    e.getMessage());
        }
    }

    /** Registers the time as a metric. */
    public LastBackup register(Figures figures) {
        figures.gauge(
                "last_backup_timestamp_seconds",
                "When the last backup with this node was completed, in seconds since 1970; 0 if"
                        + " that is not known.",
                () -> completedMillis / 1e3);
        return this;
    }

    /** Records durably that a backup is complete. Called by one thread at a time. */
    public void complete() throws IOException {
        long now = ticker.wallMillis();
        file.write(now);
        completedMillis = now;
    }
}
