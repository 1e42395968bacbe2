package dev.quorate.loadtest.late;

import dev.quorate.loadtest.load.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * What happened in a node, of the events of its Flight Recorder. For one recording, event by event,
 * in any order.
 */
final class NodeEvents {

    private static final String TABLE_SUFFIX = ".sst";

    /** Compilations that are not farther apart follow each other. */
    private static final long BURST_GAP_NANOS = 1_000_000;

    private final String node;
    private final long shortestNanos;
    private final List<Span> pauses = new ArrayList<>();
    private final Map<Long, Span> safepoints = new HashMap<>();
    private final Map<String, Span> tables = new HashMap<>();
    private final List<Span> fsyncs = new ArrayList<>();
    private final List<Span> compilations = new ArrayList<>();

    /**
     * Of none.
     *
     * @param shortest of fsyncs, and of compilations that follow each other, that count
     */
    NodeEvents(String node, Duration shortest) {
        this.node = node;
        this.shortestNanos = shortest.toNanos();
    }

    /** The settings for a recording, as a {@code .jfc} file has them. */
    static String settings() {
        return """
        <?xml version="1.0" encoding="UTF-8"?>
        <configuration version="2.0" label="late requests">
          <event name="jdk.GCPhasePause">
            <setting name="enabled">true</setting>
            <setting name="threshold">0 ms</setting>
          </event>
          <event name="jdk.SafepointBegin">
            <setting name="enabled">true</setting>
            <setting name="threshold">0 ms</setting>
          </event>
          <event name="jdk.ExecuteVMOperation">
            <setting name="enabled">true</setting>
            <setting name="threshold">0 ms</setting>
          </event>
          <event name="jdk.Compilation">
            <setting name="enabled">true</setting>
            <setting name="threshold">0 ms</setting>
          </event>
          <event name="jdk.FileForce">
            <setting name="enabled">true</setting>
            <setting name="stackTrace">false</setting>
            <setting name="threshold">500 us</setting>
          </event>
          <event name="jdk.FileWrite">
            <setting name="enabled">true</setting>
            <setting name="stackTrace">false</setting>
            <setting name="threshold">0 ms</setting>
            <setting name="throttle">off</setting>
          </event>
          <!-- Java 25 records no write at a position unless it may record reads. -->
          <event name="jdk.FileRead">
            <setting name="enabled">true</setting>
            <setting name="stackTrace">false</setting>
            <setting name="threshold">10 s</setting>
          </event>
        </configuration>
        """;
    }

    /** Reads a recording of that node. */
    void read(Path recording) throws IOException {
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                read(file.readEvent());
            }
        }
    }

    private void read(RecordedEvent event) {
        Span when =
                new Span(
                        HostWatch.nanos(event.getStartTime()), HostWatch.nanos(event.getEndTime()));
        switch (event.getEventType().getName()) {
            case "jdk.GCPhasePause" -> paused(when);
            case "jdk.SafepointBegin" -> stoodStill(event.getLong("safepointId"), when);
            case "jdk.ExecuteVMOperation" -> {
                if (event.getBoolean("safepoint")) {
                    stoodStill(event.getLong("safepointId"), when);
                }
            }
            case "jdk.FileWrite" -> wrote(event.getString("path"), when);
            case "jdk.FileForce" -> forced(event.getString("path"), when);
            case "jdk.Compilation" -> compiled(when);
            default -> {}
        }
    }

    void paused(Span when) {
        pauses.add(when);
    }

    /** All threads were asked to stop, or stood still, for the safepoint of that number. */
    void stoodStill(long safepoint, Span when) {
        safepoints.merge(safepoint, when, Span::with);
    }

    void wrote(String path, Span when) {
        if (path.endsWith(TABLE_SUFFIX)) {
            // A table is written once, from its beginning to its fsync.
            tables.merge(path, when, Span::with);
        }
    }

    void forced(String path, Span when) {
        wrote(path, when);
        if (when.nanos() >= shortestNanos) {
            fsyncs.add(when);
        }
    }

    void compiled(Span when) {
        compilations.add(when);
    }

    /** All that can make requests late. */
    List<Happening> happenings() {
        List<Happening> all = new ArrayList<>();
        pauses.forEach(each -> add(all, Cause.COLLECTOR, each));
        safepoints.values().forEach(each -> add(all, reasonOf(each), each));
        tables.values().forEach(each -> add(all, Cause.TABLE, each));
        fsyncs.forEach(each -> add(all, Cause.FSYNC, each));
        bursts().forEach(each -> add(all, Cause.COMPILER, each));
        return all;
    }

    private void add(List<Happening> all, Cause cause, Span when) {
        all.add(new Happening(cause, when, node));
    }

    /** A safepoint for a pause of the collector begins before it, while threads come to a stop. */
    private Cause reasonOf(Span safepoint) {
        return pauses.stream().anyMatch(pause -> pause.overlapNanos(safepoint) > 0)
                ? Cause.COLLECTOR
                : Cause.SAFEPOINT;
    }

    /** Spans in which the compiler always had work. */
    private List<Span> bursts() {
        List<Span> bursts = new ArrayList<>();
        List<Span> ordered =
                compilations.stream().sorted(Comparator.comparingLong(Span::fromNanos)).toList();
        for (Span each : ordered) {
            Span last = bursts.isEmpty() ? null : bursts.getLast();
            if (last != null && each.fromNanos() - last.toNanos() <= BURST_GAP_NANOS) {
                bursts.set(bursts.size() - 1, last.with(each));
            } else {
                bursts.add(each);
            }
        }
        return bursts.stream().filter(burst -> burst.nanos() >= shortestNanos).toList();
    }
}
