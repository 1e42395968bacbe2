package dev.quorate.cli.local;

import dev.quorate.router.runtime.Ticker;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The processes of a local cluster, identified by the files of its directory. */
final class NodeProcesses {

    private static final int COMMAND_LINE_TRIES = 100;
    private static final int PROBE_MILLIS = 1_000;
    private static final int MAX_ANSWER_BYTES = 1 << 16;

    /**
     * Ignores the signals that a terminal sends to all its processes: on Ctrl-C or a hang-up, the
     * supervisor stops the nodes, or leaves them running if they are detached. Java does not
     * override ignored signals.
     */
    private static final String IGNORING_TERMINAL = "trap '' HUP INT; exec \"$@\"";

    /** The property with the path of the launcher's AOT cache, if there is one. */
    private static final String CACHE_PROPERTY = "quorate.aot";

    /** The largest heap with the serial collector. */
    private static final long MAX_SERIAL_BYTES = 512L << 20;

    private static final List<String> JVM_FLAGS =
            List.of(
                    // Background threads and compilers get less priority than request threads.
                    "-XX:ThreadPriorityPolicy=1",
                    "-XX:CompilerThreadPriority=4",
                    // Java warns about permissions that lower priorities do not need.
                    "-XX:-PrintWarnings",
                    // C2 has two fifths less to compile, so a node is fast sooner (decision
                    // 0035).
                    "-XX:FreqInlineSize=150",
                    "-XX:InlineSmallCode=1000",
                    "-XX:MaxInlineLevel=9",
                    "-XX:Tier4BackEdgeThreshold=400000",
                    "-XX:+ExitOnOutOfMemoryError",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow");

    private final ClusterDirectory directory;
    private final List<String> nodeCommand;
    private final Ticker ticker;

    /** The processes started by this object, the last of each name. */
    private final Map<String, Process> children = new ConcurrentHashMap<>();

    /**
     * @param nodeCommand the arguments between the JVM flags and the flags of a node: class path,
     *     main class and first words
     */
    NodeProcesses(ClusterDirectory directory, List<String> nodeCommand, Ticker ticker) {
        this.directory = directory;
        this.nodeCommand = List.copyOf(nodeCommand);
        this.ticker = ticker;
    }

    /**
     * Starts a node's process, and returns before it is ready.
     *
     * @param ownOptions flags for this node alone
     */
    void start(ClusterPlan plan, String name, List<String> ownOptions) throws IOException {
        Files.createDirectories(directory.nodeFolder(name));
        directory.noteLogStart(name);
        // For messages of the JVM, and for errors before the log is open.
        Redirect log = Redirect.appendTo(directory.log(name).toFile());
        Process process =
                new ProcessBuilder(command(plan, name, ownOptions))
                        .redirectInput(Redirect.from(new File("/dev/null")))
                        .redirectOutput(log)
                        .redirectErrorStream(true)
                        .start();
        children.put(name, process);
        directory.writePid(name, process.pid());
    }

    private List<String> command(ClusterPlan plan, String name, List<String> ownOptions) {
        List<String> command =
                new ArrayList<>(List.of("/bin/sh", "-c", IGNORING_TERMINAL, "quorate-node"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(marker(name));
        command.add("-Dquorate.log.file=" + directory.log(name));
        command.addAll(jvmFlags(plan.heap()));
        command.addAll(nodeCommand);
        command.add("--name=" + name);
        command.add("--topology=" + plan.topology());
        command.add("--host=127.0.0.1");
        command.add("--port=" + plan.port(name));
        command.add("--data=" + directory.data(name));
        command.add("--secret-file=" + directory.secret());
        command.addAll(plan.nodeOptions());
        command.addAll(ownOptions);
        return command;
    }

    /** Near the beginning of the command, because long command lines are cut off. */
    private String marker(String name) {
        return "-Dquorate.node=" + directory.nodeFolder(name);
    }

    /**
     * The process of a node, if it runs. A pid file may outlive its process, and another program
     * may have got the same id, so the command line must name this node. This also excludes an
     * ended process that its parent has not reaped.
     */
    Optional<ProcessHandle> running(String name) throws IOException {
        return directory
                .pid(name)
                .flatMap(ProcessHandle::of)
                .filter(handle -> isNode(handle, name));
    }

    List<String> runningNames(ClusterPlan plan) throws IOException {
        List<String> running = new ArrayList<>();
        for (String name : plan.names()) {
            if (running(name).isPresent()) {
                running.add(name);
            }
        }
        return running;
    }

    private boolean isNode(ProcessHandle handle, String name) {
        Process child = children.get(name);
        if (child != null && child.pid() == handle.pid()) {
            return child.isAlive();
        }
        // A long command line has no separate arguments. It is empty briefly during exec, and for
        // an ended process.
        String commandLine = "";
        for (int i = 0; i < COMMAND_LINE_TRIES && commandLine.isEmpty(); i++) {
            commandLine = handle.info().commandLine().orElse("");
        }
        return commandLine.contains(marker(name) + " ");
    }

    /** Waits for the end of a process; false if it still runs at the limit. */
    boolean awaitExit(ProcessHandle handle, String name, Duration limit)
            throws InterruptedException {
        long deadline = ticker.nanos() + limit.toNanos();
        while (isNode(handle, name)) {
            if (ticker.nanos() - deadline >= 0) {
                return false;
            }
            pause(handle);
        }
        return true;
    }

    /** Waits briefly, or until the process ends. */
    static void pause(ProcessHandle handle) throws InterruptedException {
        try {
            handle.onExit().get(20, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // It still runs: the caller polls again.
        }
    }

    static void pause(long millis) throws InterruptedException {
        var _ = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    }

    /** Whether a page of the node on a port returns 200. */
    static boolean isOk(int port, String path) {
        return answer(port, path).startsWith("HTTP/1.1 200");
    }

    /** The answer of a node to a page, with its status line; empty if there is none. */
    static String answer(int port, String path) {
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PROBE_MILLIS);
            socket.setSoTimeout(PROBE_MILLIS);
            String request =
                    "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(MAX_ANSWER_BYTES);
            return new String(answer, StandardCharsets.US_ASCII);
        } catch (IOException notYet) {
            return "";
        }
    }

    /** The JVM flags of a node. The launcher script has the same flags, which a test checks. */
    static List<String> jvmFlags(String heap) {
        List<String> flags = new ArrayList<>(List.of("-Xms" + heap, "-Xmx" + heap));
        // The serial collector has shorter pauses in a small heap: it wakes no other thread, while
        // each phase of G1 waits until its workers have a processor (decision 0035).
        flags.addAll(
                bytes(heap) <= MAX_SERIAL_BYTES
                        ? List.of("-XX:+UseSerialGC", "-XX:NewRatio=1")
                        : List.of("-XX:+UseG1GC"));
        flags.addAll(JVM_FLAGS);
        String cache = System.getProperty(CACHE_PROPERTY, "");
        if (!cache.isEmpty() && Files.exists(Path.of(cache))) {
            // An unsuitable cache is ignored, without a log line.
            flags.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot=off,cds=off"));
        }
        return flags;
    }

    /** The bytes of a heap size such as 128m; saturated. */
    private static long bytes(String size) {
        int last = size.length() - 1;
        int unit = "kmg".indexOf(Character.toLowerCase(size.charAt(last)));
        String digits = unit < 0 ? size : size.substring(0, last);
        // More than twelve digits exceed any memory.
        return digits.length() > 12 ? Long.MAX_VALUE : Long.parseLong(digits) << (10 * (unit + 1));
    }
}
