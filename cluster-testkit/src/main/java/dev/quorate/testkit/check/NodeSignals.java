package dev.quorate.testkit.check;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Kills, pauses and resumes the processes of nodes. A node that does not run is left alone, since a
 * process may end at any moment; the result states whether there was one.
 */
public final class NodeSignals {

    /** Finds the process of a node. */
    @FunctionalInterface
    public interface Lookup {

        /** The process; empty if the node does not run, or has ended and is not yet collected. */
        Optional<ProcessHandle> running(String node) throws IOException;
    }

    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
    private static final long POLL_MILLIS = 20;

    private final Lookup lookup;
    private final Set<String> paused = ConcurrentHashMap.newKeySet();

    public NodeSignals(Lookup lookup) {
        this.lookup = lookup;
    }

    /**
     * Sends SIGKILL, and returns when the process is gone.
     *
     * @return whether the node ran
     * @throws IOException if the process does not end
     */
    public boolean kill(String node) throws IOException {
        paused.remove(node);
        Optional<ProcessHandle> process = lookup.running(node);
        if (process.isEmpty()) {
            return false;
        }
        process.get().destroyForcibly();
        try {
            for (long waited = 0; isRunning(node, process.get()); waited += POLL_MILLIS) {
                if (waited >= KILL_LIMIT.toMillis()) {
                    throw new IOException(node + " does not die.");
                }
                awaitExit(process.get());
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        return true;
    }

    /** As the lookup says: whoever starts the node next asks the same, and must not find it. */
    private boolean isRunning(String node, ProcessHandle process) throws IOException {
        return lookup.running(node).filter(process::equals).isPresent();
    }

    private static void awaitExit(ProcessHandle process) throws InterruptedException {
        try {
            process.onExit().get(POLL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // The caller checks.
        }
    }

    /**
     * Sends SIGSTOP.
     *
     * @return whether the node ran
     */
    public boolean pause(String node) throws IOException {
        paused.add(node);
        return send("STOP", node);
    }

    /**
     * Sends SIGCONT.
     *
     * @return whether the node ran
     */
    public boolean resume(String node) throws IOException {
        boolean ran = send("CONT", node);
        paused.remove(node);
        return ran;
    }

    /** Resumes all paused nodes: a paused process does not handle SIGTERM. */
    public void resumeAll() throws IOException {
        for (String node : List.copyOf(paused)) {
            resume(node);
        }
    }

    private boolean send(String signal, String node) throws IOException {
        Optional<ProcessHandle> process = lookup.running(node);
        if (process.isEmpty()) {
            return false;
        }
        // Every shell has this built in; not every machine has it as a program.
        String line = "kill -" + signal + " " + process.get().pid();
        Process shell =
                new ProcessBuilder("/bin/sh", "-c", line)
                        .redirectErrorStream(true)
                        .redirectOutput(Redirect.DISCARD)
                        .start();
        try {
            return shell.waitFor() == 0;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IOException("A signal to a node was interrupted.", e);
    }
}
