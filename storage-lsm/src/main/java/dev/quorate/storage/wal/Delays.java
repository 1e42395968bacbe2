package dev.quorate.storage.wal;

/** Runs delayed tasks: the only timer of the store. */
@FunctionalInterface
public interface Delays {

    /** Runs {@code task} once, after {@code millis}. The task is short and does not throw. */
    void runAfter(long millis, Runnable task);
}
