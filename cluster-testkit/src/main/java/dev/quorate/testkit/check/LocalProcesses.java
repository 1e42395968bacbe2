package dev.quorate.testkit.check;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.cli.Main;
import dev.quorate.cli.local.LocalNodes;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of processes on this machine. Either the check starts it, with relays between its
 * nodes, and deletes it at the end; or {@code ./quorate up} started it, and the check leaves all
 * its nodes running.
 */
final class LocalProcesses implements Cluster {

    private final LocalNodes processes;
    private final @Nullable RelayNetwork relays;

    /** The folder to delete at the end; null for a cluster of {@code ./quorate up}. */
    private final @Nullable Path folder;

    // All guarded by this.
    private final Map<String, ConnectionFlood> floods = new HashMap<>();
    private boolean preservesLogs;
    private boolean closed;

    private LocalProcesses(
            LocalNodes processes, @Nullable RelayNetwork relays, @Nullable Path folder) {
        this.processes = processes;
        this.relays = relays;
        this.folder = folder;
    }

    /** Starts a cluster in a new directory; returns before its nodes are ready. */
    static LocalProcesses own(int nodes) throws IOException {
        int firstPort = ProcessCluster.freePorts(nodes);
        List<String> names = IntStream.rangeClosed(1, nodes).mapToObj(i -> "n" + i).toList();
        RelayNetwork relays =
                new RelayNetwork(
                        names,
                        name -> firstPort + names.indexOf(name) + ProcessCluster.PEER_PORT_OFFSET);
        Path folder = Files.createTempDirectory("quorate-check-");
        LocalNodes processes =
                LocalNodes.create(
                        folder,
                        nodes,
                        firstPort,
                        Main.nodeCommand(),
                        name ->
                                nodes == 1
                                        ? List.of()
                                        : List.of("--peer-addresses=" + relays.addressesFor(name)),
                        SystemTicker.INSTANCE,
                        new SecureRandom());
        LocalProcesses cluster = new LocalProcesses(processes, relays, folder);
        try {
            for (String name : processes.names()) {
                processes.start(name);
            }
        } catch (IOException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /**
     * The cluster of {@code ./quorate up --data folder}.
     *
     * @throws IOException if there is no cluster, or one of its nodes is not running
     */
    static LocalProcesses up(Path folder) throws IOException {
        String none = "There is no cluster in " + folder + "; ./quorate up starts one.";
        LocalNodes processes =
                LocalNodes.find(folder, Main.nodeCommand(), SystemTicker.INSTANCE)
                        .orElseThrow(() -> new IOException(none));
        for (String name : processes.names()) {
            if (processes.running(name).isEmpty()) {
                throw new IOException(name + " of the cluster in " + folder + " is not running.");
            }
        }
        return new LocalProcesses(processes, null, null);
    }

    @Override
    public List<String> nodes() {
        return processes.names();
    }

    @Override
    public URI url(String node) {
        return processes.url(node);
    }

    @Override
    public boolean isOwn() {
        return folder != null;
    }

    @Override
    public boolean isRunning(String node) throws IOException {
        return processes.running(node).isPresent();
    }

    @Override
    public synchronized void apply(Fault fault, boolean begins) throws IOException {
        if (closed) {
            return;
        }
        switch (fault) {
            case Fault.Kill(String node) when begins -> processes.kill(node);
            case Fault.Kill(String node) -> processes.start(node);
            case Fault.Pause(String node) when begins -> processes.pause(node);
            case Fault.Pause(String node) -> processes.resume(node);
            case Fault.Strangers(String node) when begins ->
                    floods.put(node, ConnectionFlood.at(url(node)));
            case Fault.Strangers(String node) ->
                    Stream.ofNullable(floods.remove(node)).forEach(ConnectionFlood::close);
            case Fault.Cut cut when begins -> Objects.requireNonNull(relays).cut(cut);
            case Fault.Cut cut -> Objects.requireNonNull(relays).heal(cut);
        }
    }

    @Override
    public String logTail(String node) throws IOException {
        return processes.lastLogLines(node);
    }

    @Override
    public synchronized void preserveLogs() {
        preservesLogs = true;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (folder == null) {
                for (String node : nodes()) {
                    processes.resume(node);
                    processes.start(node);
                }
                return;
            }
            for (String node : nodes()) {
                processes.kill(node);
            }
            if (!preservesLogs) {
                new DiskFiles().deleteTree(folder);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("The cluster could not be restored: " + e.getMessage());
        } finally {
            if (relays != null) {
                relays.close();
            }
        }
    }

    /**
     * Unauthenticated connections to the two ports of a node. They send nothing, an unfinished
     * request, or invalid bytes, and remain open until this object or the node closes them.
     */
    static final class ConnectionFlood implements AutoCloseable {

        private static final int ROUNDS = 12;
        private static final String UNFINISHED_HEAD =
                head("GET /v0/entity?id=a", "X-Filler: " + "a".repeat(6_000)).strip();
        private static final String STALLED_BODY =
                head("PUT /v0/entity?id=stranger", "Content-Length: 8388608");
        private static final String UNAUTHENTICATED_POST =
                head("POST /", "Content-Length: 16777216");
        private static final String UNAUTHENTICATED_HANDSHAKE =
                head(
                        "GET /",
                        "Connection: Upgrade",
                        "Upgrade: websocket",
                        "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==");

        private final List<SocketChannel> channels = new ArrayList<>();

        private ConnectionFlood() {}

        /** Opens the connections to the node with this URL for clients; it may refuse some. */
        static ConnectionFlood at(URI url) {
            InetSocketAddress clients = new InetSocketAddress(url.getHost(), url.getPort());
            InetSocketAddress peers =
                    new InetSocketAddress(
                            url.getHost(), url.getPort() + ProcessCluster.PEER_PORT_OFFSET);
            SplittableRandom random = new SplittableRandom(url.getPort());
            ConnectionFlood flood = new ConnectionFlood();
            byte[] garbage = new byte[4_096];
            random.nextBytes(garbage);
            byte[] body = new byte[256 << 10];
            for (int i = 0; i < ROUNDS; i++) {
                for (InetSocketAddress address : List.of(clients, peers)) {
                    flood.connect(address, new byte[0]);
                    flood.connect(address, bytes(UNFINISHED_HEAD));
                    flood.connect(address, garbage);
                }
                flood.connect(clients, bytes(STALLED_BODY), body);
                flood.connect(peers, bytes(UNAUTHENTICATED_POST), body);
                flood.connect(peers, bytes(UNAUTHENTICATED_HANDSHAKE), garbage);
            }
            return flood;
        }

        private static String head(String request, String... lines) {
            return request + " HTTP/1.1\r\nHost: x\r\n" + String.join("\r\n", lines) + "\r\n\r\n";
        }

        private static byte[] bytes(String text) {
            return text.getBytes(US_ASCII);
        }

        private void connect(InetSocketAddress address, byte[]... sent) {
            try {
                SocketChannel channel = SocketChannel.open(address);
                channels.add(channel);
                channel.configureBlocking(false); // a paused node reads nothing
                for (byte[] part : sent) {
                    channel.write(ByteBuffer.wrap(part));
                }
            } catch (IOException e) {
                // The node refuses more connections, or does not run.
            }
        }

        @Override
        public void close() {
            channels.forEach(Relay::closeQuietly);
        }
    }
}
