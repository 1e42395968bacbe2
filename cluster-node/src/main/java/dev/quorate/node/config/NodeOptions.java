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
import org.jspecify.annotations.Nullable;

/**
 * How a node behaves. Immutable, and valid: whoever makes it has reported everything that is not.
 *
 * @param self this node, one of the topology's members
 * @param topology the members, the same on every node
 * @param data the directory that holds everything this node keeps
 * @param secret what the members share; null only where there is one member and none was given
 * @param listening where it listens, and with how many threads
 * @param peerAddresses by their names, members whose door this node reaches elsewhere than the
 *     topology says; each node may have its own
 * @param limits what it takes at most
 * @param timing how long it waits
 * @param storage how its store behaves
 * @param hints what it keeps for replicas that were away
 * @param repair how it repairs
 * @param logFormat how its log lines look
 */
public record NodeOptions(
        Member self,
        Topology topology,
        Path data,
        @Nullable Secret secret,
        Listening listening,
        Map<String, InetSocketAddress> peerAddresses,
        Limits limits,
        Timing timing,
        StorageOptions storage,
        Hints hints,
        Repair repair,
        LogFormat logFormat) {

    static final int MAX_PORT = 65_535;

    /**
     * Where the node listens.
     *
     * @param host the address both listeners bind to
     * @param port the port for clients
     * @param peerPortOffset what to add to a member's client port to get its peers' port
     * @param selectors threads that serve clients' connections
     * @param peerSelectors threads that serve peers' connections
     * @param knownHosts names, beside those of the topology, by which operators may ask
     */
    public record Listening(
            String host,
            int port,
            int peerPortOffset,
            int selectors,
            int peerSelectors,
            List<String> knownHosts) {

        public Listening {
            knownHosts = List.copyOf(knownHosts);
        }

        /** The port for peers. */
        public int peerPort() {
            return port + peerPortOffset;
        }
    }

    /**
     * What the node takes at most.
     *
     * @param maxValueBytes the largest value
     * @param maxBodyBytesInFlight bytes of request bodies held at once
     * @param maxConnections clients' connections open at once
     * @param maxConnectionsPerAddress those of one client's address
     * @param readThreads threads for reads that have to wait for the disk
     */
    public record Limits(
            int maxValueBytes,
            long maxBodyBytesInFlight,
            int maxConnections,
            int maxConnectionsPerAddress,
            int readThreads) {

        /** Kept free for other addresses, or that share of all if it is more. */
        private static final int KEPT_FREE = 64;

        private static final int KEPT_FREE_SHARE = 64;

        /**
         * What one address may have if nothing else is said: nearly all, since a proxy or a
         * benchmark has one address, but so few that a probe from another one finds a place.
         */
        static int connectionsOfOneAddress(int all) {
            int free = Math.max(KEPT_FREE, all / KEPT_FREE_SHARE);
            return Math.max(all - free, (all + 1) / 2);
        }
    }

    /**
     * How long the node waits.
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
     * What is kept for replicas that were away.
     *
     * @param window how long after it was stamped a write is still sent; zero: none is kept
     * @param bytesPerReplica what is kept for one of them
     * @param bytesPerSecond what is sent to one of them in a second; 0 for no limit
     */
    public record Hints(Duration window, long bytesPerReplica, long bytesPerSecond) {}

    /**
     * How the node repairs what it and its peers hold.
     *
     * @param interval between two repairs; zero for only when told
     * @param bytesPerSecond the most it reads and sends; 0 for no limit
     * @param rebuildBytesPerSecond the same after its disk was lost
     * @param trustEmptyDisk whether an empty data directory is taken for a new member's, without
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
     * Why it cannot listen there, as far as the options are the cause: what the topology says may
     * be the name of a proxy, or of the machine around a container.
     */
    public String cannotListen(String why) {
        return listening.host().equals(hostOf(self))
                ? why
                        + ". That is this node's host in the topology: if it is not an address of"
                        + " this machine, name one with --host (0.0.0.0 is every address)."
                : why;
    }

    /** Where this node reaches a member's door. The host's name has not been looked up. */
    public InetSocketAddress doorOf(Member member) {
        InetSocketAddress elsewhere = peerAddresses.get(member.name());
        return elsewhere == null
                ? InetSocketAddress.createUnresolved(
                        Objects.requireNonNull(member.url().getHost()),
                        member.url().getPort() + listening.peerPortOffset())
                : elsewhere;
    }

    /** What an operator should hear of at start-up, one sentence each. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (storage.durability() == Durability.ASYNC) {
            warnings.add(
                    "durability is async: a crash can lose what was acknowledged in the last "
                            + storage.asyncWindowMillis()
                            + " ms.");
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

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.contains("::1");
    }
}
