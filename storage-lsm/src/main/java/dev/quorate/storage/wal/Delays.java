package dev.quorate.storage.wal;

/** Runs something later: the only way in which time passes for the store. */
@FunctionalInterface
public interface Delays {

    /** Runs {@code task} once, {@code millis} from now. The task is short and does not throw. */
    void runAfter(long millis, Runnable task);
}
