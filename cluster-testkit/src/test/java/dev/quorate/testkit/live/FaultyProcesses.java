package dev.quorate.testkit.live;

import dev.quorate.cli.process.CommandException;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.testkit.check.NodeSignals;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A cluster of processes whose nodes are killed, paused, stopped and restarted. */
final class FaultyProcesses extends ProcessCluster {

    private final NodeSignals signals = new NodeSignals(this::running);

    /** A cluster that is not started, on free ports. */
    FaultyProcesses(Path quorate, Path scratch, int nodes) throws IOException {
        super(quorate, scratch, nodes, freePorts(nodes));
    }

    private Optional<ProcessHandle> running(String name) throws IOException {
        try {
            // A process that has ended and that its parent has not collected has no command line.
            return ProcessHandle.of(processes().getOrDefault(name, -1L))
                    .filter(process -> process.info().commandLine().isPresent());
        } catch (CommandException e) {
            throw new IOException(e);
        }
    }

    /** Kills a node and returns when its process is gone. */
    void kill(String name) throws CommandException {
        runQuorate(List.of(), "kill", name);
    }

    /** Stops a node gracefully and returns when its process is gone. */
    void stop(String name) throws CommandException {
        runQuorate(List.of(), "stop", name);
    }

    /** Kills all nodes at once and returns before they are gone. */
    void killAll() throws CommandException {
        for (long process : processes().values()) {
            ProcessHandle.of(process).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    /** Deletes the data of a node that does not run. */
    void loseData(String name) {
        deleteAll(data().resolve(name).resolve("data"));
    }

    /** Starts a node that was killed or stopped and returns when it is ready. */
    void start(String name) throws CommandException {
        runQuorate(List.of(), "start", name);
    }

    /** Restarts all nodes gracefully, one after the other, and returns when each is ready. */
    void restartRolling() throws CommandException {
        runQuorate(List.of(), "restart", "--rolling");
    }

    void pause(String name) throws IOException {
        if (!signals.pause(name)) {
            throw new IOException(name + " does not run.");
        }
    }

    void resume(String name) throws IOException {
        if (!signals.resume(name)) {
            throw new IOException(name + " does not run.");
        }
    }

    @Override
    public synchronized void close() {
        try {
            signals.resumeAll();
        } catch (IOException e) {
            System.err.println(e.getMessage());
        }
        super.close();
    }
}
