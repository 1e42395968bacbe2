package dev.quorate.storage.engine;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.io.FileLockedException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Converts exceptions of the disk to exceptions of the store. */
final class Failures {

    private Failures() {}

    static StorageException of(String what, IOException e) {
        return switch (e) {
            case DiskFullException full ->
                    new StorageException.Full(what + ": no space: " + full.getMessage(), full);
            case FileLockedException locked ->
                    new StorageException.InUse(what + ": " + locked.getMessage());
            default -> new StorageException.Io(what + ": " + e.getMessage(), e);
        };
    }

    /** Work of a task that may use the disk. */
    interface Work {
        void run() throws IOException;
    }

    /** Runs {@code work}, and passes its failure to {@code onFailure}; a bug is thrown, too. */
    static void passing(String what, Work work, Consumer<StorageException> onFailure) {
        try {
            work.run();
        } catch (IOException e) {
            onFailure.accept(of(what, e));
        } catch (StorageException e) {
            onFailure.accept(e);
        } catch (RuntimeException | Error e) {
            onFailure.accept(new StorageException.Io(what + " failed: " + e, e));
            throw e;
        }
    }

    /** Waits for another task, and throws its failure unwrapped. */
    static void await(CompletableFuture<@Nullable Void> future) {
        try {
            future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
