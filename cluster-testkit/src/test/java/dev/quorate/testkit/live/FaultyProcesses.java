package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.CommandException;
import dev.quorate.cli.process.ProcessCluster;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;

/** A cluster of processes whose nodes are killed, paused, stopped and restarted. */
final class FaultyProcesses extends ProcessCluster {

    private final Path quorate;

    /** A cluster that is not started, on free ports. */
    FaultyProcesses(Path quorate, Path scratch, int nodes) throws IOException {
        this(quorate, scratch, nodes, freePorts(nodes));
    }

    /** A cluster that is not started, or the one that another program has started there. */
    FaultyProcesses(Path quorate, Path scratch, int nodes, int port) {
        super(quorate, scratch, nodes, port);
        this.quorate = quorate;
    }

    /** Kills a node and returns when its process is gone. */
    void kill(String name) throws CommandException {
        ProcessHandle.of(processes().get(name)).ifPresent(FaultyProcesses::kill);
    }

    private static void kill(ProcessHandle process) {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Stops a node gracefully and returns when its process is gone. */
    void stop(String name) throws CommandException {
        runQuorate(List.of(), "stop", name);
    }

    /** Kills all nodes at once and returns when their processes are gone. */
    void killAll() throws CommandException {
        List<ProcessHandle> killed =
                processes().values().stream()
                        .flatMap(process -> ProcessHandle.of(process).stream())
                        .toList();
        killed.forEach(ProcessHandle::destroyForcibly);
        killed.forEach(process -> process.onExit().join());
    }

    /** Deletes the data of a node that does not run. */
    void loseData(String name) {
        deleteAll(data().resolve(name).resolve("data"));
    }

    /** Starts a node that was killed or stopped and returns when it is ready. */
    void start(String name) throws CommandException {
        runQuorate(List.of(), "start", name);
    }

    /** Starts a node without waiting; the returned command ends when the node is ready. */
    Process beginStart(String name) throws IOException {
        return new ProcessBuilder(quorate.toString(), "start", name, "--data", data().toString())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start();
    }

    /** Restarts all nodes gracefully, one after the other, and returns when each is ready. */
    void restartRolling() throws CommandException {
        runQuorate(List.of(), "restart", "--rolling");
    }

    /** Restarts all members by a command for each, which stops the node and starts it again. */
    void restartMembers() throws CommandException {
        String each = "'" + quorate + "' %s {name} --data '" + data() + "'";
        runQuorate(
                List.of(),
                "member",
                "restart",
                "--command",
                each.formatted("stop") + " && " + each.formatted("start"));
    }

    /** The same with another command and little time. */
    void restartMembers(String command) throws CommandException {
        runQuorate(List.of(), "member", "restart", "--command", command, "--timeout", "3s");
    }

    void pause(String name) throws Exception {
        signal("STOP", name);
    }

    void resume(String name) throws Exception {
        signal("CONT", name);
    }

    private void signal(String signal, String name) throws Exception {
        String line = "kill -" + signal + " " + processes().get(name);
        assertThat(new ProcessBuilder("/bin/sh", "-c", line).inheritIO().start().waitFor())
                .isZero();
    }
}
