package dev.quorate.node.config;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.quorate.node.config.ConfigKey.BadValue;
import dev.quorate.node.config.NodeOptions.Access;
import dev.quorate.node.config.NodeOptions.Hints;
import dev.quorate.node.config.NodeOptions.Limits;
import dev.quorate.node.config.NodeOptions.Listening;
import dev.quorate.node.config.NodeOptions.Logging;
import dev.quorate.node.config.NodeOptions.Repair;
import dev.quorate.node.config.NodeOptions.Timing;
import dev.quorate.node.config.NodeOptions.Tls;
import dev.quorate.node.config.Settings.Setting;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.StorageOptions;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Parses settings into options. Continues after an invalid value, to report all of them. */
public final class OptionsReader {

    /** A queued write also has its key and some framing. */
    private static final int ENTRY_OVERHEAD_BYTES = 64 * 1024;

    private static final long USUAL_MAX_VALUE_BYTES = 16 << 20;
    private static final int HEAP_PARTS_OF_VALUE = 8;

    private final Settings settings;
    private final Settings.TextFiles files;
    private final long heapBytes;
    private final List<String> violations;

    private OptionsReader(Settings settings, Settings.TextFiles files, long heapBytes) {
        this.settings = settings;
        this.files = files;
        this.heapBytes = heapBytes;
        this.violations = new ArrayList<>(settings.violations());
    }

    /** Like {@link #read(Settings, Settings.TextFiles)}, with each text as a flag. */
    public static NodeOptions read(Map<String, String> texts) {
        return read(
                Settings.of(texts),
                file -> {
                    throw new FileNotFoundException(file.toString());
                });
    }

    /**
     * Parses and checks everything.
     *
     * @param files reads the file of a secret
     * @throws ConfigException with all violations
     */
    public static NodeOptions read(Settings settings, Settings.TextFiles files) {
        return read(settings, files, maxHeapBytes());
    }

    /**
     * The same for a heap of another size.
     *
     * @param heapBytes what {@code -Xmx} gives
     */
    static NodeOptions read(Settings settings, Settings.TextFiles files, long heapBytes) {
        return new OptionsReader(settings, files, heapBytes).read();
    }

    /**
     * What {@code -Xmx} says: {@code Runtime.maxMemory} is less, by a part of the young objects.
     */
    private static long maxHeapBytes() {
        return Long.parseLong(
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                        .getVMOption("MaxHeapSize")
                        .getValue());
    }

    private NodeOptions read() {
        Topology topology = topology();
        Member self = topology == null ? null : self(topology);
        Listening listening = listening(topology, self);
        Map<String, InetSocketAddress> peerAddresses = peerAddresses(topology);
        Limits limits = limits();
        Timing timing = timing();
        StorageOptions storage = storage(limits);
        Hints hints = hints();
        Repair repair =
                new Repair(
                        getOrDefault(ConfigTable.REPAIR_INTERVAL),
                        getOrDefault(ConfigTable.REPAIR_RATE),
                        getOrDefault(ConfigTable.REBUILD_RATE),
                        getOrDefault(ConfigTable.TRUST_EMPTY_DISK));
        Secret secret = secret(topology);
        Access access = access(topology, listening);
        Logging logging =
                new Logging(
                        getOrDefault(ConfigTable.LOG_FORMAT),
                        getOrDefault(ConfigTable.SLOW_OPERATION));
        Path data = get(ConfigTable.DATA);
        if (!violations.isEmpty()) {
            throw new ConfigException(violations);
        }
        // Both are present: otherwise there would be a violation.
        Member member = Objects.requireNonNull(self, "self");
        return new NodeOptions(
                member,
                Objects.requireNonNull(topology, "topology"),
                data == null ? Path.of("quorate-data", member.name()) : data,
                secret,
                access,
                listening,
                peerAddresses,
                limits,
                timing,
                storage,
                hints,
                repair,
                logging);
    }

    private @Nullable Topology topology() {
        String text = get(ConfigTable.TOPOLOGY);
        Integer replicationFactor = get(ConfigTable.REPLICATION_FACTOR);
        if (text == null) {
            if (settings.get(ConfigTable.TOPOLOGY) == null) {
                violations.add(
                        "topology is missing: give --topology n1=http://host:port,... or "
                                + ConfigTable.TOPOLOGY.variable()
                                + ".");
            }
            return null;
        }
        try {
            Topology topology = Topology.parse(text);
            if (replicationFactor == null) {
                return topology;
            }
            if (replicationFactor > topology.size()) {
                violations.add(
                        "replication-factor is "
                                + replicationFactor
                                + ", more than the "
                                + topology.size()
                                + " members of the topology.");
                return topology;
            }
            return Topology.parse(text, replicationFactor);
        } catch (IllegalArgumentException e) {
            violations.add("topology is not valid: " + e.getMessage());
            return null;
        }
    }

    private @Nullable Member self(Topology topology) {
        String name = get(ConfigTable.NAME);
        if (name == null) {
            if (settings.get(ConfigTable.NAME) != null) {
                return null;
            }
            if (topology.size() == 1) {
                return topology.members().getFirst();
            }
            violations.add("name is missing: say which of " + names(topology) + " this node is.");
            return null;
        }
        Member self = topology.member(name);
        if (self == null) {
            violations.add(
                    "name is '"
                            + name
                            + "', which the topology does not list: "
                            + names(topology)
                            + ".");
        }
        return self;
    }

    private static String names(Topology topology) {
        return String.join(", ", topology.members().stream().map(Member::name).toList());
    }

    private Listening listening(@Nullable Topology topology, @Nullable Member self) {
        int ownPort = self == null ? 1 : self.url().getPort();
        String ownHost = self == null ? "127.0.0.1" : NodeOptions.hostOf(self);
        int port = get(ConfigTable.PORT, ownPort);
        int offset = getOrDefault(ConfigTable.PEER_PORT_OFFSET);
        if (topology != null) {
            for (Member member : topology.members()) {
                requirePeerPort(member.name(), member.url().getPort(), offset);
            }
            if (port != ownPort) {
                requirePeerPort("this node", port, offset);
            }
        }
        int processors = Runtime.getRuntime().availableProcessors();
        return new Listening(
                get(ConfigTable.HOST, ownHost),
                port,
                offset,
                get(ConfigTable.SELECTORS, Math.min(processors, 16)),
                get(ConfigTable.PEER_SELECTORS, Math.max(1, Math.min(processors / 2, 8))),
                get(ConfigTable.KNOWN_HOSTS, List.of()),
                get(ConfigTable.CORS_ORIGINS, List.of()));
    }

    private void requirePeerPort(String whose, int port, int offset) {
        if (port + offset > NodeOptions.MAX_PORT) {
            violations.add(
                    "peer-port-offset is "
                            + offset
                            + ", which would put the peers' port of "
                            + whose
                            + " at "
                            + (port + offset)
                            + ", above "
                            + NodeOptions.MAX_PORT
                            + ".");
        }
    }

    private Map<String, InetSocketAddress> peerAddresses(@Nullable Topology topology) {
        Map<String, InetSocketAddress> addresses = get(ConfigTable.PEER_ADDRESSES, Map.of());
        for (String name : addresses.keySet()) {
            if (topology != null && topology.member(name) == null) {
                violations.add(
                        "peer-addresses names '"
                                + name
                                + "', which the topology does not list: "
                                + names(topology)
                                + ".");
            }
        }
        return addresses;
    }

    private Limits limits() {
        long mostValue = heapBytes / HEAP_PARTS_OF_VALUE;
        long maxValue =
                get(ConfigTable.MAX_VALUE_BYTES, Math.min(USUAL_MAX_VALUE_BYTES, mostValue));
        if (maxValue > mostValue) {
            violations.add(
                    "max-value-bytes is "
                            + maxValue
                            + ", more than an eighth of the heap (-Xmx is "
                            + heapBytes
                            + " bytes): give at most "
                            + mostValue
                            + ", or the node a larger heap.");
        }
        long eighthOfHeap = Runtime.getRuntime().maxMemory() / 8;
        long inFlight = get(ConfigTable.MAX_BODY_BYTES_IN_FLIGHT, Math.max(maxValue, eighthOfHeap));
        if (inFlight < maxValue) {
            violations.add(
                    "max-body-bytes-in-flight is "
                            + inFlight
                            + ", less than max-value-bytes, "
                            + maxValue
                            + ", so the largest values could never be taken.");
        }
        int connections = getOrDefault(ConfigTable.MAX_CONNECTIONS);
        return new Limits(
                (int) maxValue,
                inFlight,
                connections,
                get(
                        ConfigTable.MAX_CONNECTIONS_PER_ADDRESS,
                        Limits.connectionsOfOneAddress(connections)),
                get(
                        ConfigTable.RANGES_PER_ADDRESS,
                        Limits.rangesOfOneAddress(Runtime.getRuntime().maxMemory())),
                get(
                        ConfigTable.READ_THREADS,
                        Math.max(2, Runtime.getRuntime().availableProcessors())));
    }

    private Timing timing() {
        return new Timing(
                getOrDefault(ConfigTable.REQUEST_TIMEOUT),
                getOrDefault(ConfigTable.HEADER_TIMEOUT),
                getOrDefault(ConfigTable.IDLE_TIMEOUT),
                getOrDefault(ConfigTable.DRAIN_TIMEOUT),
                getOrDefault(ConfigTable.MAX_CLOCK_DRIFT));
    }

    private StorageOptions storage(Limits limits) {
        StorageOptions defaults = StorageOptions.defaults();
        // All bodies in memory fit into the queue of writes, which shares their arrays: clients',
        // and a quarter more for peers' and for small ones.
        long queue =
                Math.max(
                        defaults.maxQueuedBytes(),
                        limits.maxBodyBytesInFlight()
                                + limits.maxBodyBytesInFlight() / 4
                                + ENTRY_OVERHEAD_BYTES);
        return new StorageOptions(
                get(ConfigTable.MEMTABLE_BYTES, defaults.memtableBytes()),
                get(ConfigTable.SEGMENT_BYTES, defaults.segmentBytes()),
                defaults.blockBytes(),
                defaults.bloomBitsPerKey(),
                queue,
                get(ConfigTable.DURABILITY, defaults.durability()),
                get(ConfigTable.ASYNC_WINDOW, Duration.ofMillis(defaults.asyncWindowMillis()))
                        .toMillis(),
                get(ConfigTable.RESERVED_DISK_BYTES, defaults.reservedDiskBytes()),
                get(ConfigTable.COMPRESSION, defaults.compression()),
                get(ConfigTable.COMPACTION_RATE, defaults.compactionBytesPerSecond()),
                get(ConfigTable.SCRUB_INTERVAL, Duration.ofMillis(defaults.scrubMillis()))
                        .toMillis());
    }

    private Hints hints() {
        return new Hints(
                getOrDefault(ConfigTable.HINT_WINDOW),
                getOrDefault(ConfigTable.HINT_BYTES),
                getOrDefault(ConfigTable.HINT_RATE));
    }

    private Access access(@Nullable Topology topology, Listening listening) {
        boolean isInsecure = getOrDefault(ConfigTable.INSECURE);
        Path tokenFile = get(ConfigTable.TOKEN_FILE);
        if (tokenFile == null
                && settings.get(ConfigTable.TOKEN_FILE) == null
                && !isInsecure
                && !NodeOptions.isLoopback(listening.host())) {
            violations.add(
                    "token-file is missing: at "
                            + listening.host()
                            + " others than this machine may reach the node, and whoever does would"
                            + " read and write everything; give token-file, or --insecure if that is"
                            + " meant.");
        }
        return new Access(tokenFile, isInsecure, tls(topology));
    }

    private @Nullable Tls tls(@Nullable Topology topology) {
        Path certificate = get(ConfigTable.TLS_CERTIFICATE);
        Path key = get(ConfigTable.TLS_KEY);
        Path ca = get(ConfigTable.TLS_CA);
        if (certificate == null && key == null && ca == null) {
            return null;
        }
        boolean hasPeers = topology != null && topology.size() > 1;
        requirePart(ConfigTable.TLS_CERTIFICATE, certificate);
        requirePart(ConfigTable.TLS_KEY, key);
        if (hasPeers) {
            requirePart(ConfigTable.TLS_CA, ca);
        }
        return certificate == null || key == null ? null : new Tls(certificate, key, ca);
    }

    private void requirePart(ConfigKey<Path> part, @Nullable Path given) {
        if (given == null && settings.get(part) == null) {
            violations.add(
                    part.name()
                            + " is missing: TLS needs tls-certificate and tls-key, and tls-ca"
                            + " where there are peers.");
        }
    }

    private @Nullable Secret secret(@Nullable Topology topology) {
        Setting direct = settings.get(ConfigTable.SECRET);
        Setting inFile = settings.get(ConfigTable.SECRET_FILE);
        if (direct != null && inFile != null && direct.rank() == inFile.rank()) {
            violations.add("secret and secret-file are both given; one of them has to go.");
            return null;
        }
        if (inFile != null && (direct == null || inFile.rank().compareTo(direct.rank()) > 0)) {
            return secretOfFile(inFile);
        }
        if (direct != null) {
            return secretOf(direct.text(), ConfigTable.SECRET);
        }
        if (topology != null && topology.size() > 1) {
            violations.add(
                    "secret is missing: nodes of a cluster know each other by it, so give secret"
                            + " or secret-file.");
        }
        return null;
    }

    private @Nullable Secret secretOfFile(Setting setting) {
        Path file = get(ConfigTable.SECRET_FILE);
        if (file == null) {
            return null;
        }
        try {
            return secretOf(files.read(file).strip(), ConfigTable.SECRET_FILE);
        } catch (IOException | UncheckedIOException e) {
            violations.add(
                    "secret-file is " + setting.text() + ", which cannot be read: " + e + ".");
            return null;
        }
    }

    private @Nullable Secret secretOf(String text, ConfigKey<?> key) {
        if (text.length() < Secret.MIN_LENGTH) {
            violations.add(
                    key.name()
                            + " must be at least "
                            + Secret.MIN_LENGTH
                            + " characters long, and has "
                            + text.length()
                            + ".");
            return null;
        }
        return new Secret(text);
    }

    /** The given value, or the key's default. */
    private <T> T getOrDefault(ConfigKey<T> key) {
        T value = get(key);
        return value == null ? key.defaultValue() : value;
    }

    private <T> T get(ConfigKey<T> key, T fallback) {
        T value = get(key);
        return value == null ? fallback : value;
    }

    /** The given value; null if there is none, or if it is invalid, which is then a violation. */
    private <T> @Nullable T get(ConfigKey<T> key) {
        Setting setting = settings.get(key);
        if (setting == null) {
            return null;
        }
        try {
            return key.parser().parse(setting.text());
        } catch (BadValue e) {
            violations.add(key.name() + " " + e.getMessage() + " (" + setting.origin() + ").");
            return null;
        }
    }
}
