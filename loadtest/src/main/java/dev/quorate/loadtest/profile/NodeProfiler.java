package dev.quorate.loadtest.profile;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.quorate.cli.process.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Profiles nodes with async-profiler, which writes a flame graph (HTML) for each node. */
public final class NodeProfiler {

    private final ProfileKind kind;
    private final Path folder;
    private final Path library;

    /**
     * @param folder receives the flame graphs
     * @param library the native library of async-profiler
     * @throws CommandException if the path of the folder contains a comma
     */
    public NodeProfiler(ProfileKind kind, Path folder, Path library) throws CommandException {
        this.kind = kind;
        this.folder = folder.toAbsolutePath();
        this.library = library;
        if (this.folder.toString().indexOf(',') >= 0) {
            throw new CommandException(
                    "profiles cannot be written to a path with a comma, such as " + folder + ".");
        }
    }

    /** Profiles of several nodes, which end when this is closed. */
    public final class Recording implements AutoCloseable {

        private final String name;
        private final Map<String, Long> nodes;

        private Recording(String name, Map<String, Long> nodes) {
            this.name = name;
            this.nodes = nodes;
        }

        /** The flame graphs by node. They exist after {@link #close}. */
        public Map<String, Path> files() {
            Map<String, Path> files = new LinkedHashMap<>();
            nodes.keySet().forEach(node -> files.put(node, file(node)));
            return files;
        }

        private Path file(String node) {
            String all = name + "-" + node + "-" + kind;
            return folder.resolve(
                    all.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".html");
        }

        @Override
        public void close() throws CommandException {
            for (Map.Entry<String, Long> node : nodes.entrySet()) {
                load(node, "stop,flamegraph" + kind.unit() + ",file=" + file(node.getKey()));
            }
        }
    }

    /**
     * Starts profiles.
     *
     * @param nodes process ids by name
     */
    public Recording start(String name, Map<String, Long> nodes) throws CommandException {
        for (Map.Entry<String, Long> node : nodes.entrySet()) {
            start(node);
        }
        return new Recording(name, nodes);
    }

    private void start(Map.Entry<String, Long> node) throws CommandException {
        CommandException refused = new CommandException("No event to profile.");
        for (String event : kind.events()) {
            try {
                load(node, "start," + event);
                return;
            } catch (CommandException e) {
                refused = e;
            }
        }
        throw refused;
    }

    private void load(Map.Entry<String, Long> node, String options) throws CommandException {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(node.getValue()));
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
                    "async-profiler refused '" + options + "' in " + node.getKey() + ": " + e, e);
        }
    }

    public enum ProfileKind {
        CPU,
        /** Allocated memory, in bytes. */
        ALLOC,
        /** Waits for locks, in nanoseconds. */
        LOCK;

        /**
         * The start options of async-profiler, in order of preference. For processor time: a timer
         * for each thread, which needs no privileges, or else one for the process.
         */
        List<String> events() {
            return switch (this) {
                case CPU -> List.of("event=ctimer,interval=1ms", "event=itimer,interval=1ms");
                case ALLOC -> List.of("event=alloc");
                case LOCK -> List.of("event=lock");
            };
        }

        /** The option that sums bytes or time instead of counting samples. */
        String unit() {
            return this == CPU ? "" : ",total";
        }
    }

    /** The native library of async-profiler, which its jar contains for some systems. */
    public static final class ProfilerLibrary {

        private static final String LINUX = "libasyncProfiler.so";

        private ProfilerLibrary() {}

        /** Whether the jar has a library for this system. */
        public static boolean isAvailable() {
            return resource(System.getProperty("os.name", ""), System.getProperty("os.arch", ""))
                    .isPresent();
        }

        /**
         * Copies the library for this system into a folder.
         *
         * @return the path of the library; empty if there is none for this system
         */
        public static Optional<Path> extract(Path folder) throws IOException {
            return extract(
                    folder, System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
        }

        static Optional<Path> extract(Path folder, String system, String processor)
                throws IOException {
            Optional<String> resource = resource(system, processor);
            if (resource.isEmpty()) {
                return Optional.empty();
            }
            try (InputStream in = ProfilerLibrary.class.getResourceAsStream(resource.get())) {
                if (in == null) {
                    return Optional.empty();
                }
                Path library = folder.resolve(LINUX).toAbsolutePath();
                Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
                return Optional.of(library);
            }
        }

        private static Optional<String> resource(String system, String processor) {
            String name = system.toLowerCase(Locale.ROOT);
            if (name.startsWith("mac")) {
                return Optional.of("/macos/" + LINUX);
            }
            if (!name.startsWith("linux")) {
                return Optional.empty();
            }
            return switch (processor) {
                case "amd64", "x86_64" -> Optional.of("/linux-x64/" + LINUX);
                case "aarch64", "arm64" -> Optional.of("/linux-arm64/" + LINUX);
                default -> Optional.empty();
            };
        }
    }
}
