package dev.quorate.loadtest.profile;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.NodeProcess;
import dev.quorate.loadtest.bench.Profiler;
import dev.quorate.loadtest.bench.RunningCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Profiles nodes by async-profiler, loaded into their processes, and where that cannot be by the
 * JDK's Flight Recorder. For each case and node there is a flame graph ({@code .html}) and the
 * stacks that it shows, a line each ({@code .collapsed}); of the Flight Recorder a recording
 * ({@code .jfr}).
 */
public final class NodeProfiler implements Profiler {

    private static final String RECORDING = "name=bench";

    /** One node that is being profiled. */
    @FunctionalInterface
    private interface Session {
        void finish() throws CommandException;
    }

    private final ProfileKind kind;
    private final Path folder;
    private final Optional<Path> library;
    private final Jcmd jcmd;
    private final Consumer<String> progress;

    /**
     * Profiles into a folder.
     *
     * @param library of async-profiler, if there is one for this system
     * @param scratch a folder for what is of no use afterwards
     * @param progress receives which node is profiled by the Flight Recorder, and why
     * @throws CommandException if async-profiler cannot be configured with the folder
     */
    public NodeProfiler(
            ProfileKind kind,
            Path folder,
            Optional<Path> library,
            Path scratch,
            Consumer<String> progress)
            throws CommandException {
        this.kind = kind;
        this.folder = folder.toAbsolutePath();
        this.library = library;
        this.jcmd = new Jcmd(scratch);
        this.progress = progress;
        if (this.folder.toString().indexOf(',') >= 0) {
            throw new CommandException(
                    "profiles cannot be written to a path with a comma, such as " + folder + ".");
        }
    }

    @Override
    public Recording start(String caseName, RunningCluster cluster) throws CommandException {
        List<Session> sessions = new ArrayList<>();
        for (NodeProcess node : cluster.nodes()) {
            sessions.add(start(folder.resolve(fileName(caseName, node)).toString(), node));
        }
        return () -> {
            for (Session session : sessions) {
                session.finish();
            }
        };
    }

    /** Without an extension: what is no letter or digit of ASCII becomes a hyphen. */
    public static String fileName(String caseName, NodeProcess node) {
        return (caseName + "-" + node.name())
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9.]+", "-");
    }

    private Session start(String file, NodeProcess node) throws CommandException {
        String reason = "async-profiler has no library for this system.";
        if (library.isPresent()) {
            for (String event : kind.events()) {
                try {
                    load(node, library.get(), "start," + event);
                    return () -> finish(file, node, library.get());
                } catch (CommandException e) {
                    reason = String.valueOf(e.getMessage());
                }
            }
        }
        progress.accept(node.name() + " is profiled by the Flight Recorder: " + reason);
        jcmd.run(node, "JFR.start", RECORDING, "settings=profile");
        return () -> jcmd.run(node, "JFR.stop", RECORDING, "filename=" + file + ".jfr");
    }

    private void finish(String file, NodeProcess node, Path path) throws CommandException {
        load(node, path, "dump,collapsed" + kind.unit() + ",file=" + file + ".collapsed");
        load(node, path, "stop,flamegraph" + kind.unit() + ",file=" + file + ".html");
    }

    private static void load(NodeProcess node, Path library, String options)
            throws CommandException {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(node.pid()));
            try {
                machine.loadAgentPath(library.toString(), options);
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException
                | AgentLoadException
                | AgentInitializationException
                | IOException e) {
            throw new CommandException(
                    "async-profiler refused '" + options + "' in " + node.name() + ": " + e, e);
        }
    }
}
