package dev.quorate.cli.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Prints the last lines of nodes' logs, and new lines. */
record LogRun(ClusterDirectory directory, PrintWriter out) {

    /** The maximum number of bytes read at a time. */
    private static final int MAX_BYTES = 1 << 20;

    /**
     * Prints the last lines of each node since its last start.
     *
     * @param names of the nodes; if there are several, each line begins with the name
     * @param pause waits before the logs are read again; returns false to end
     */
    void run(List<String> names, int lines, BooleanSupplier pause) throws IOException {
        List<Tail> tails = new ArrayList<>();
        for (String name : names) {
            Tail tail = new Tail(directory.log(name), names.size() > 1 ? name + "  " : "");
            for (String line : directory.lastLogLines(name, lines)) {
                out.println(tail.prefix + line);
            }
            tails.add(tail);
        }
        out.flush();
        while (pause.getAsBoolean()) {
            for (Tail tail : tails) {
                tail.printMore();
            }
            out.flush();
        }
    }

    /** The lines that are appended to a log from now on. */
    private final class Tail {

        private final Path log;
        private final String prefix;
        private long printed;

        Tail(Path log, String prefix) throws IOException {
            this.log = log;
            this.prefix = prefix;
            this.printed = size();
        }

        private long size() throws IOException {
            return Files.exists(log) ? Files.size(log) : 0;
        }

        /** Prints complete lines, and the beginning of a line that exceeds {@link #MAX_BYTES}. */
        void printMore() throws IOException {
            long size = size();
            if (size < printed) {
                printed = 0; // a new log after --clean or a rotation
            }
            while (printed < size) {
                byte[] bytes;
                try (InputStream in = Files.newInputStream(log)) {
                    in.skipNBytes(printed);
                    bytes = in.readNBytes((int) Math.min(size - printed, MAX_BYTES));
                }
                int end = bytes.length;
                while (end > 0 && bytes[end - 1] != '\n') {
                    end--;
                }
                if (end == 0 && bytes.length < MAX_BYTES) {
                    return; // The line is not complete yet.
                }
                int length = end == 0 ? bytes.length : end;
                new String(bytes, 0, length, StandardCharsets.UTF_8)
                        .lines()
                        .forEach(line -> out.println(prefix + line));
                printed += length;
            }
        }
    }
}
