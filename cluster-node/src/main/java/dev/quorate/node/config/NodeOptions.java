package dev.quorate.node.config;

import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Durability;
import dev.quorate.storage.StorageOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of a node. Immutable and valid.
 *
 * @param self this node, one of the topology's members
 * @param topology the members, the same on every node
 * @param data the directory of all files of this node
 * @param secret the cluster's secret; null only for a single member without one
 * @param access who may use it
 * @param listening its addresses and selector threads
 * @param peerAddresses addresses of members, by name, that differ from the topology for this node
 * @param limits its limits
 * @param timing its timeouts
 * @param storage its store
 * @param hints its hints
 * @param repair its repairs
 * @param logging its log
 */
public record NodeOptions(
        Member self,
        Topology topology,
        Path data,
        @Nullable Secret secret,
        Access access,
        Listening listening,
        Map<String, InetSocketAddress> peerAddresses,
        Limits limits,
        Timing timing,
        StorageOptions storage,
        Hints hints,
        Repair repair,
        Logging logging) {

    static final int MAX_PORT = 65_535;

    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[?(::1|(0{1,4}:){7}0{0,3}1)\\]?");

    /**
     * Who may use a node.
     *
     * @param tokenFile the file of access tokens; null if everybody may do everything
     * @param isInsecure whether that is meant, also beyond this machine
     * @param tls null without TLS
     */
    public record Access(@Nullable Path tokenFile, boolean isInsecure, @Nullable Tls tls) {}

    /**
     * The files of TLS, all in PEM.
     *
     * @param certificate the node's, and those between it and its CA's
     * @param key its private key
     * @param ca the certificates of those who sign the members'; null for a single member
     */
    public record Tls(Path certificate, Path key, @Nullable Path ca) {}

    /**
     * The addresses of a node.
     *
     * @param host the address both listeners bind to
     * @param port the port for clients
     * @param peerPortOffset the difference between a member's peer port and its client port
     * @param selectors threads that serve clients' connections
     * @param peerSelectors threads that serve peers' connections
     * @param knownHosts host names, beside those of the topology, under which operators may address
     *     the node
     * @param corsOrigins origins whose pages may use the API
     */
    public record Listening(
            String host,
            int port,
            int peerPortOffset,
            int selectors,
            int peerSelectors,
            List<String> knownHosts,
            List<String> corsOrigins) {

        public Listening {
            knownHosts = List.copyOf(knownHosts);
            corsOrigins = List.copyOf(corsOrigins);
        }

        /** The port for peers. */
        public int peerPort() {
            return port + peerPortOffset;
        }
    }

    /**
     * The limits of a node.
     *
     * @param maxValueBytes the largest value
     * @param maxBodyBytesInFlight bytes of request bodies in memory
     * @param maxConnections clients' connections open at once
     * @param maxConnectionsPerAddress those of one client's address
     * @param rangesPerAddress ranges open at once for one client's address
     * @param readThreads threads for reads that wait for the disk
     */
    public record Limits(
            int maxValueBytes,
            long maxBodyBytesInFlight,
            int maxConnections,
            int maxConnectionsPerAddress,
            int rangesPerAddress,
            int readThreads) {

        private static final long HEAP_BYTES_PER_RANGE = 2 << 20;
        private static final int MAX_RANGES_PER_ADDRESS = 768;

        /**
         * How many connections, or which share of all if that is more, are reserved for other
         * addresses.
         */
        private static final int KEPT_FREE = 64;

        private static final int KEPT_FREE_SHARE = 64;

        /**
         * The default for one address: nearly all, because a proxy or a benchmark has one address,
         * but few enough that a probe from another one gets a connection.
         */
        static int connectionsOfOneAddress(int all) {
            int free = Math.max(KEPT_FREE, all / KEPT_FREE_SHARE);
            return Math.max(all - free, (all + 1) / 2);
        }

        /**
         * The default for one address: some two thirds of the places that a heap has for ranges,
         * and three quarters of all ranges at most.
         */
        static int rangesOfOneAddress(long heapBytes) {
            return Math.clamp(heapBytes / HEAP_BYTES_PER_RANGE, 8, MAX_RANGES_PER_ADDRESS);
        }
    }

    /**
     * The timeouts of a node.
     *
     * @param request for replicas, before an operation fails
     * @param header for the whole header of a request, from its first byte
     * @param idle for the next request on an open connection
     * @param drain for operations in flight, when stopping
     * @param maxClockDrift how far ahead of this node's clock another's may be
     */
    public record Timing(
            Duration request,
            Duration header,
            Duration idle,
            Duration drain,
            Duration maxClockDrift) {}

    /**
     * The options of hints.
     *
     * @param window how long after its timestamp a write is still sent; zero disables hints
     * @param bytesPerReplica the most hints for one replica
     * @param bytesPerSecond the most that is sent to one replica in a second; 0 for no limit
     */
    public record Hints(Duration window, long bytesPerReplica, long bytesPerSecond) {}

    /**
     * The options of the log.
     *
     * @param format of its lines
     * @param slowOperation from which on an operation is logged; zero for none
     */
    public record Logging(LogFormat format, Duration slowOperation) {}

    /**
     * The options of repairs.
     *
     * @param interval between two repairs; zero for only on request
     * @param bytesPerSecond the most it reads and sends; 0 for no limit
     * @param rebuildBytesPerSecond the same during a rebuild
     * @param trustEmptyDisk whether an empty data directory is treated as a new member's, without
     *     asking the others
     */
    public record Repair(
            Duration interval,
            long bytesPerSecond,
            long rebuildBytesPerSecond,
            boolean trustEmptyDisk) {}

    public NodeOptions {
        Objects.requireNonNull(self, "self");
        Objects.requireNonNull(topology, "topology");
        Objects.requireNonNull(data, "data");
        peerAddresses = Collections.unmodifiableMap(new TreeMap<>(peerAddresses));
    }

    /** A member's host in the topology: a name or an address, without the brackets of IPv6. */
    static String hostOf(Member member) {
        String host = Objects.requireNonNull(member.url().getHost());
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /**
     * The error message for an address that cannot be opened: the topology may name a proxy, or the
     * machine around a container.
     */
    public String cannotListen(String why) {
        if (why.contains("in use")) {
            return why + ": another process listens there, perhaps a node of this machine.";
        }
        return listening.host().equals(hostOf(self))
                ? why
                        + ". That is this node's host in the topology: if it is not an address of"
                        + " this machine, name one with --host (0.0.0.0 is every address)."
                : why;
    }

    /** The address of a member's door for this node. Its host is not resolved. */
    public InetSocketAddress doorOf(Member member) {
        InetSocketAddress elsewhere = peerAddresses.get(member.name());
        return elsewhere == null
                ? InetSocketAddress.createUnresolved(
                        Objects.requireNonNull(member.url().getHost()),
                        member.url().getPort() + listening.peerPortOffset())
                : elsewhere;
    }

    /** Warnings for the operator at start-up, one sentence each. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (storage.durability() == Durability.ASYNC) {
            warnings.add(
                    "durability is async: a crash can lose what was acknowledged in the last "
                            + storage.asyncWindowMillis()
                            + " ms.");
        }
        if (access.tokenFile() == null && !isLoopback(listening.host())) {
            warnings.add(
                    "insecure is true and there is no token-file: whoever reaches "
                            + listening.host()
                            + ":"
                            + listening.port()
                            + " reads and writes everything.");
        }
        if (access.tokenFile() == null && listening.knownHosts().contains("*")) {
            warnings.add(
                    "known-hosts is * and token-file is missing: a page in a browser that can reach"
                            + " this node can read and write everything (DNS rebinding).");
        }
        if (access.tokenFile() != null && access.tls() == null && !isLoopback(listening.host())) {
            warnings.add(
                    "there is no tls-certificate: whoever is between the clients and "
                            + listening.host()
                            + ":"
                            + listening.port()
                            + " can read their tokens.");
        }
        String announced = Objects.requireNonNull(self.url().getHost());
        if (isLoopback(listening.host()) && !isLoopback(announced)) {
            warnings.add(
                    "host is "
                            + listening.host()
                            + ", so others cannot reach this node at "
                            + self.url()
                            + "; 0.0.0.0 listens on every address.");
        }
        return warnings;
    }

    /** Whether only this machine reaches that host; a name that might be another's is not one. */
    static boolean isLoopback(String host) {
        return LOOPBACK.matcher(host).matches();
    }
}
