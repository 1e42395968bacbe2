package dev.quorate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.NodeAccess;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.node.ClusterNode;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.storage.io.DiskFiles;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.BindException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Runs three nodes briefly, so that Java loads the classes of a node and can write them to a cache
 * ({@code -XX:AOTCacheOutput}, JEP 514). A node with the cache starts in half the time. For the
 * launcher and the image only.
 *
 * <p>The cache also contains profiles of compiled methods (JEP 515). Good profiles need a load like
 * that of clients: after only a few thousand operations, the first seconds of nodes were not
 * faster.
 */
record Rehearsal(NodeCommand.NodeStarter starter) implements Callable<Integer> {

    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int NODES = 3;
    private static final int LOAD_REQUESTS = 100_000;
    private static final int THREADS = 2;
    private static final int CONNECTIONS = 16;
    private static final int KEYS = 20_000;
    private static final String VALUE = "x".repeat(100);

    /** So low that all of the second load comes while the fourth node gains its keys. */
    private static final String COPY_BYTES = "100KiB";

    private static final String END_OF_HEAD = "\r\n\r\n";
    private static final String LENGTH = "content-length: ";

    /** Another process may take a free port before a node listens on it. */
    private static final int PORT_ATTEMPTS = 5;

    /** Small, so that nodes also flush, compact and read tables. */
    private static final String MEMTABLE_BYTES = "1MiB";

    /** The first requests, whose answers are ignored. */
    private static final List<String> REQUESTS =
            List.of(
                    "PUT /v0/entity?id=a&replicas=2/2",
                    "GET /v0/entity?id=a&replicas=2/2",
                    "DELETE /v0/entity?id=a&replicas=2/2",
                    "GET /v0/entities?start=a",
                    "GET /v0/entity?id=a&replicas=3/2",
                    "GET /readyz",
                    "GET /metrics",
                    "GET /");

    /** Commands, which use the same cache. */
    private static final List<String> COMMANDS =
            List.of(
                    "put a hello",
                    "get a --json",
                    "scan --json",
                    "status --json",
                    "status",
                    "events",
                    "member list",
                    "delete a");

    static CommandLine commandLine(NodeCommand.NodeStarter starter) {
        CommandSpec spec = CommandSpec.wrapWithoutInspection(new Rehearsal(starter));
        spec.name("rehearse").usageMessage().hidden(true);
        return new CommandLine(spec);
    }

    @Override
    public Integer call() throws Exception {
        int attempts = PORT_ATTEMPTS;
        while (true) {
            try {
                rehearse();
                return 0;
            } catch (BindException e) {
                if (--attempts == 0) {
                    throw e;
                }
            }
        }
    }

    private void rehearse() throws Exception {
        Path folder = Files.createTempDirectory("quorate-rehearsal");
        List<ClusterNode> nodes = new ArrayList<>();
        try {
            int port = ProcessCluster.freePorts(NODES + 1);
            String topology =
                    "n1=http://127.0.0.1:%d,n2=http://127.0.0.1:%d,n3=http://127.0.0.1:%d"
                            .formatted(port, port + 1, port + 2);
            for (int i = 0; i < NODES; i++) {
                nodes.add(start("n" + (i + 1), "topology", topology, port + i, folder));
            }
            Node node = Node.parse("http://127.0.0.1:" + port, NodeAccess.NONE);
            for (String request : REQUESTS) {
                String[] words = request.split(" ", 2);
                node.ask(words[0], words[1], TIMEOUT_MILLIS);
            }
            for (String command : COMMANDS) {
                command(command + " --url http://127.0.0.1:" + port);
            }
            load(port, () -> NODES);
            // An operation has two quorums while keys move: code that Java would otherwise take for
            // unused, and compile again under load.
            load(
                    port,
                    () -> {
                        String url = "http://127.0.0.1:" + port;
                        nodes.add(start("n4", "join", url, port + NODES, folder));
                        return NODES;
                    });
        } finally {
            nodes.forEach(ClusterNode::stop);
            new DiskFiles().deleteTree(folder);
        }
    }

    /**
     * Starts a node.
     *
     * @param option {@code topology} or {@code join}
     */
    private ClusterNode start(String name, String option, String value, int port, Path folder)
            throws Exception {
        Map<String, String> flags =
                Map.of(
                        "name",
                        name,
                        option,
                        value,
                        "address",
                        "http://127.0.0.1:" + port,
                        "data",
                        folder.resolve(name).toString(),
                        "memtable-bytes",
                        MEMTABLE_BYTES,
                        "rebuild-bytes-per-second",
                        COPY_BYTES,
                        "secret",
                        "a secret of a few seconds");
        return NodeCommand.start(starter, OptionsReader.read(flags), reason -> {});
    }

    private void command(String line) {
        CommandLine commandLine = Main.commandLine(starter, Map.of());
        commandLine.setOut(new PrintWriter(Writer.nullWriter()));
        var _ = commandLine.execute(line.split(" ", -1));
    }

    /**
     * Reads and writes at full speed, so that the nodes compile the code that runs under load.
     *
     * @param event happens meanwhile
     */
    private static void load(int port, Callable<Integer> event)
            throws InterruptedException, ExecutionException {
        List<Callable<Integer>> loads = new ArrayList<>(List.of(event));
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            loads.add(
                    () -> {
                        send(port, thread);
                        return thread;
                    });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1)) {
            for (Future<Integer> each : threads.invokeAll(loads)) {
                each.get();
            }
        }
    }

    /** Repeatedly sends one request on each connection, and then reads one answer from each. */
    private static void send(int port, int thread) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            List<InputStream> answers = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(socket);
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(TIMEOUT_MILLIS);
                answers.add(new BufferedInputStream(socket.getInputStream()));
            }
            for (int number = thread; number < LOAD_REQUESTS / CONNECTIONS; number += THREADS) {
                for (int i = 0; i < CONNECTIONS; i++) {
                    byte[] request = request(number * CONNECTIONS + i).getBytes(US_ASCII);
                    sockets.get(i).getOutputStream().write(request);
                }
                for (InputStream answer : answers) {
                    skip(answer);
                }
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static String request(int number) {
        // Each key is written and then read; the prime distributes the keys.
        int key = Math.floorMod((number >> 1) * 7_919, KEYS);
        String target = "/v0/entity?id=key-" + key + "&replicas=2/3";
        return number % 2 == 0
                ? "PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(target, VALUE.length(), VALUE)
                : "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(target);
    }

    private static void skip(InputStream answer) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf(END_OF_HEAD, head.length() - END_OF_HEAD.length()) < 0) {
            int next = answer.read();
            if (next < 0) {
                throw new EOFException("no whole answer");
            }
            head.append((char) next);
        }
        int at = head.toString().toLowerCase(Locale.ROOT).indexOf(LENGTH);
        if (at >= 0) {
            int end = head.indexOf("\r", at);
            answer.skipNBytes(Long.parseLong(head.substring(at + LENGTH.length(), end).trim()));
        }
    }
}
