package dev.quorate.cli.local;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Finds the process that listens on a port. Works only on Linux. */
public final class PortOwner {

    private static final Path PROCESSES = Path.of("/proc");

    private PortOwner() {}

    /** A text such as {@code "process 123 (java)"}; empty if none is found. */
    public static Optional<String> of(int port) {
        try {
            Set<String> sockets = sockets(port);
            if (sockets.isEmpty()) {
                return Optional.empty();
            }
            try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
                for (Path process : processes) {
                    if (hasOne(process, sockets)) {
                        String name = Files.readString(process.resolve("comm")).strip();
                        return Optional.of("process " + process.getFileName() + " (" + name + ")");
                    }
                }
            }
            return Optional.of("a process of another user");
        } catch (IOException | DirectoryIteratorException unknown) {
            return Optional.empty();
        }
    }

    /** The targets of the links in {@code /proc/PID/fd} of a process that listens on the port. */
    private static Set<String> sockets(int port) throws IOException {
        String suffix = String.format(Locale.ROOT, ":%04X", port);
        Set<String> sockets = new HashSet<>();
        for (String table : List.of("net/tcp", "net/tcp6")) {
            Path file = PROCESSES.resolve(table);
            for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
                String[] fields = line.strip().split("\\s+", -1);
                if (fields.length > 9 && fields[1].endsWith(suffix) && fields[3].equals("0A")) {
                    sockets.add("socket:[" + fields[9] + "]");
                }
            }
        }
        return sockets;
    }

    private static boolean hasOne(Path process, Set<String> sockets) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path file : files) {
                if (sockets.contains(Files.readSymbolicLink(file).toString())) {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException hidden) {
            return false; // the process has ended, or belongs to another user
        }
        return false;
    }
}
