package dev.quorate.loadtest.late;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.NodeProcess;
import dev.quorate.loadtest.profile.Jcmd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Has the Flight Recorder of each node record what can make requests late, from the construction to
 * {@link #stop}.
 */
public final class NodeRecordings implements Recorder.Recording {

    private static final String NAME = "name=late";

    private final List<NodeProcess> nodes;
    private final Path scratch;
    private final Jcmd jcmd;

    /**
     * Of nodes that nobody else records under the same name.
     *
     * @param scratch a folder
     */
    public NodeRecordings(List<NodeProcess> nodes, Path scratch) throws CommandException {
        this.nodes = nodes;
        this.scratch = scratch;
        this.jcmd = new Jcmd(scratch);
        Path settings = scratch.resolve("late.jfc");
        try {
            Files.writeString(settings, NodeEvents.settings());
        } catch (IOException e) {
            throw new CommandException("the recordings cannot be configured: " + e, e);
        }
        for (NodeProcess node : nodes) {
            jcmd.run(node, "JFR.start", NAME, "settings=" + settings.toAbsolutePath());
        }
    }

    /**
     * Ends the recordings and reads them.
     *
     * @param shortest of fsyncs, and of compilations that follow each other, that count
     */
    @Override
    public List<Happening> stop(Duration shortest) throws CommandException {
        List<Happening> all = new ArrayList<>();
        for (NodeProcess node : nodes) {
            Path file = scratch.resolve(node.name() + ".jfr").toAbsolutePath();
            jcmd.run(node, "JFR.stop", NAME, "filename=" + file);
            NodeEvents events = new NodeEvents(node.name(), shortest);
            try {
                events.read(file);
                Files.delete(file);
            } catch (IOException e) {
                throw new CommandException("the recording of " + node.name() + ": " + e, e);
            }
            all.addAll(events.happenings());
        }
        return all;
    }
}
