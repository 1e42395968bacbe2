package dev.quorate.node.config;

import dev.quorate.storage.Compression;
import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All configuration keys. */
final class ConfigTable {

    private static final long GIB = 1L << 30;
    private static final long WEEK_MILLIS = 7L * 24 * 60 * 60 * 1000;

    static final ConfigKey<String> NAME =
            new ConfigKey<>(
                    "name",
                    "Which member of the topology this node is.",
                    "the only member, where there is one",
                    Parsers.text(),
                    options -> options.self().name());

    static final ConfigKey<String> TOPOLOGY =
            new ConfigKey<>(
                    "topology",
                    "The members, n1=http://host:port,n2=..., the same on every node; nodes with"
                            + " different ones refuse each other.",
                    "none: it must be given",
                    Parsers.text(),
                    options ->
                            String.join(
                                    ",",
                                    options.topology().members().stream()
                                            .map(Object::toString)
                                            .toList()));

    static final ConfigKey<Integer> REPLICATION_FACTOR =
            new ConfigKey<>(
                    "replication-factor",
                    "Copies of a key where a request does not say, the same on every node.",
                    "all members up to three, then 3",
                    Parsers.number(1, 64),
                    options -> "" + options.topology().replicationFactor());

    static final ConfigKey<String> HOST =
            new ConfigKey<>(
                    "host",
                    "The address to listen on, for clients and peers; 0.0.0.0 is every address.",
                    "this node's host in the topology",
                    Parsers.text(),
                    options -> options.listening().host());

    static final ConfigKey<List<String>> KNOWN_HOSTS =
            new ConfigKey<>(
                    "known-hosts",
                    "Names, name,name,..., by which clients may address this node, besides those of"
                            + " the topology, localhost and addresses in digits. Without tokens"
                            + " the rule is for every path but /livez, with tokens for /admin. *"
                            + " allows every name, but not for /admin.",
                    "none",
                    Parsers.hostNames(),
                    options -> String.join(",", options.listening().knownHosts()));

    static final ConfigKey<List<String>> CORS_ORIGINS =
            new ConfigKey<>(
                    "cors-origins",
                    "Origins, https://app.example,http://host:port,..., whose pages may use the API"
                            + " from a browser, /admin apart. Whoever opens such a page, from where"
                            + " the node can be reached, reads and writes everything.",
                    "none",
                    Parsers.origins(),
                    options -> String.join(",", options.listening().corsOrigins()));

    static final ConfigKey<Integer> PORT =
            new ConfigKey<>(
                    "port",
                    "The port for clients.",
                    "the one of its own entry in the topology",
                    Parsers.number(1, NodeOptions.MAX_PORT),
                    options -> "" + options.listening().port());

    static final ConfigKey<Integer> PEER_PORT_OFFSET =
            new ConfigKey<>(
                    "peer-port-offset",
                    "What to add to a member's port to get the port for its peers, the same on"
                            + " every node.",
                    "10000",
                    Parsers.number(1, NodeOptions.MAX_PORT),
                    options -> "" + options.listening().peerPortOffset());

    static final ConfigKey<Map<String, InetSocketAddress>> PEER_ADDRESSES =
            new ConfigKey<>(
                    "peer-addresses",
                    "Where this node reaches members' ports for peers, n2=host:port,n3=..., where"
                            + " the topology does not say it, as behind address translation; each"
                            + " node may have its own.",
                    "the host of the topology, and the port for peers",
                    Parsers.addresses(),
                    options -> Parsers.text(options.peerAddresses()));

    static final ConfigKey<Path> DATA =
            new ConfigKey<>(
                    "data",
                    "The directory for everything the node keeps.",
                    "quorate-data/<name>",
                    Parsers.path(),
                    options -> options.data().toString());

    static final ConfigKey<Durability> DURABILITY =
            new ConfigKey<>(
                    "durability",
                    "fsync: acknowledged means on disk. async: a crash may lose the last"
                            + " acknowledged writes.",
                    "fsync",
                    Parsers.choice(Durability.class),
                    options -> Parsers.lowerCase(options.storage().durability()));

    static final ConfigKey<Duration> ASYNC_WINDOW =
            new ConfigKey<>(
                    "async-window",
                    "With durability async, the longest time in ms between an acknowledgement and"
                            + " its fsync.",
                    "10",
                    Parsers.millis(1, 60_000),
                    options -> options.storage().asyncWindowMillis() + "ms");

    static final ConfigKey<String> SECRET =
            new ConfigKey<>(
                    "secret",
                    "What the members know each other by, at least 16 characters; needed with more"
                            + " than one member. A flag is seen by every user of the machine:"
                            + " rather use secret-file.",
                    "none",
                    Parsers.text(),
                    options -> options.secret() == null ? "" : options.secret().toString());

    static final ConfigKey<Path> SECRET_FILE =
            new ConfigKey<>(
                    "secret-file",
                    "A file that holds the secret; blanks around it do not count.",
                    "none",
                    Parsers.path(),
                    options -> "");

    static final ConfigKey<Path> TOKEN_FILE =
            new ConfigKey<>(
                    "token-file",
                    "A file of access tokens, as ./quorate token add makes it: requests of clients"
                            + " then need one of them. It is followed while the node runs.",
                    "none",
                    Parsers.path(),
                    options -> Parsers.text(options.access().tokenFile()));

    static final ConfigKey<Boolean> INSECURE =
            new ConfigKey<>(
                    "insecure",
                    "Whether the node may listen beyond this machine without token-file: whoever"
                            + " reaches it then reads and writes everything.",
                    "false",
                    Parsers.yesOrNo(),
                    options -> "" + options.access().isInsecure());

    static final ConfigKey<Path> TLS_CERTIFICATE =
            new ConfigKey<>(
                    "tls-certificate",
                    "A file with this node's certificate in PEM, and those between it and the CA's:"
                            + " clients and peers then use TLS. Followed while the node runs, as"
                            + " are the next two.",
                    "none",
                    Parsers.path(),
                    options -> tls(options, NodeOptions.Tls::certificate));

    static final ConfigKey<Path> TLS_KEY =
            new ConfigKey<>(
                    "tls-key",
                    "A file with its private key in PEM (PKCS #8), which nobody else may read.",
                    "none",
                    Parsers.path(),
                    options -> tls(options, NodeOptions.Tls::key));

    static final ConfigKey<Path> TLS_CA =
            new ConfigKey<>(
                    "tls-ca",
                    "A file with the certificates, in PEM, of those who sign the members': a peer"
                            + " without a certificate of theirs is refused.",
                    "none",
                    Parsers.path(),
                    options -> tls(options, NodeOptions.Tls::ca));

    static final ConfigKey<Duration> REQUEST_TIMEOUT =
            new ConfigKey<>(
                    "request-timeout",
                    "How long an operation waits for its replicas, in ms, before it is answered"
                            + " with 504.",
                    "1000",
                    Parsers.millis(10, 600_000),
                    options -> options.timing().request().toMillis() + "ms");

    static final ConfigKey<Duration> HEADER_TIMEOUT =
            new ConfigKey<>(
                    "header-timeout",
                    "How long a client may take to send a request's header, in ms, before its"
                            + " connection is closed.",
                    "10000",
                    Parsers.millis(100, 600_000),
                    options -> options.timing().header().toMillis() + "ms");

    static final ConfigKey<Duration> IDLE_TIMEOUT =
            new ConfigKey<>(
                    "idle-timeout",
                    "How long a connection may be idle, in ms, before it is closed.",
                    "75000",
                    Parsers.millis(1_000, 86_400_000),
                    options -> options.timing().idle().toMillis() + "ms");

    static final ConfigKey<Duration> DRAIN_TIMEOUT =
            new ConfigKey<>(
                    "drain-timeout",
                    "How long a stopping node waits for what is in flight, in ms.",
                    "10000",
                    Parsers.millis(0, 600_000),
                    options -> options.timing().drain().toMillis() + "ms");

    static final ConfigKey<Duration> MAX_CLOCK_DRIFT =
            new ConfigKey<>(
                    "max-clock-drift",
                    "How far nodes' wall clocks may be apart, in ms. A message is refused if it is 2 s"
                            + " further ahead: so far is a node that restarts quickly.",
                    "500",
                    Parsers.millis(1, 3_600_000),
                    options -> options.timing().maxClockDrift().toMillis() + "ms");

    static final ConfigKey<Long> MAX_VALUE_BYTES =
            new ConfigKey<>(
                    "max-value-bytes",
                    "The largest value; a larger one is answered with 413. At most an eighth of -Xmx:"
                            + " what can be stored must also fit into memory several times.",
                    "16MiB, or an eighth of -Xmx if that is less",
                    Parsers.bytes(0, Entry.MAX_VALUE_BYTES),
                    options -> "" + options.limits().maxValueBytes());

    static final ConfigKey<Long> MAX_BODY_BYTES_IN_FLIGHT =
            new ConfigKey<>(
                    "max-body-bytes-in-flight",
                    "Bytes of request bodies held in memory at once; beyond it, 503.",
                    "an eighth of the heap, or max-value-bytes if that is more",
                    Parsers.bytes(1, 64 * GIB),
                    options -> "" + options.limits().maxBodyBytesInFlight());

    static final ConfigKey<Integer> MAX_CONNECTIONS =
            new ConfigKey<>(
                    "max-connections",
                    "Clients' connections open at once; one more is answered with 503 and closed.",
                    "8192",
                    Parsers.number(1, 1_000_000),
                    options -> "" + options.limits().maxConnections());

    static final ConfigKey<Integer> MAX_CONNECTIONS_PER_ADDRESS =
            new ConfigKey<>(
                    "max-connections-per-address",
                    "Those of one client's address (IPv6: of one network of 64 bits); one more is"
                            + " answered with 503 and closed.",
                    "max-connections but for 64, or a 64th of them if that is more",
                    Parsers.number(1, 1_000_000),
                    options -> "" + options.limits().maxConnectionsPerAddress());

    static final ConfigKey<Integer> RANGES_PER_ADDRESS =
            new ConfigKey<>(
                    "ranges-per-address",
                    "Ranges open at once for one client's address (IPv6: one network of 64 bits);"
                            + " one more is answered with 429.",
                    "one for each 2 MiB of the heap, at least 8 and at most 768",
                    Parsers.number(1, 1_024),
                    options -> "" + options.limits().rangesPerAddress());

    static final ConfigKey<Integer> SELECTORS =
            new ConfigKey<>(
                    "selectors",
                    "Threads that serve clients' connections.",
                    "one for each processor, at most 16",
                    Parsers.number(1, 256),
                    options -> "" + options.listening().selectors());

    static final ConfigKey<Integer> PEER_SELECTORS =
            new ConfigKey<>(
                    "peer-selectors",
                    "Threads that serve peers' connections.",
                    "one for each two processors, at most 8",
                    Parsers.number(1, 256),
                    options -> "" + options.listening().peerSelectors());

    static final ConfigKey<Integer> READ_THREADS =
            new ConfigKey<>(
                    "read-threads",
                    "Threads for reads that have to wait for the disk.",
                    "one for each processor, at least 2",
                    Parsers.number(1, 256),
                    options -> "" + options.limits().readThreads());

    static final ConfigKey<Long> MEMTABLE_BYTES =
            new ConfigKey<>(
                    "memtable-bytes",
                    "Bytes of new entries kept in memory, outside the heap, before they are written"
                            + " to a table; up to three times as much is held.",
                    "16MiB",
                    Parsers.bytes(4_096, GIB),
                    options -> "" + options.storage().memtableBytes());

    static final ConfigKey<Long> SEGMENT_BYTES =
            new ConfigKey<>(
                    "segment-bytes",
                    "Bytes to which a segment of the log is preallocated.",
                    "32MiB",
                    Parsers.bytes(8_192, GIB),
                    options -> "" + options.storage().segmentBytes());

    static final ConfigKey<Long> RESERVED_DISK_BYTES =
            new ConfigKey<>(
                    "reserved-disk-bytes",
                    "Free bytes of disk below which writes are refused, so that compaction can"
                            + " still make room.",
                    "64MiB",
                    Parsers.bytes(0, 1_024 * GIB),
                    options -> "" + options.storage().reservedDiskBytes());

    static final ConfigKey<Compression> COMPRESSION =
            new ConfigKey<>(
                    "compression",
                    "How the blocks of new tables are stored: none or lz4, which takes less disk"
                            + " and more processor time; tables of both kinds can always be read.",
                    "none",
                    Parsers.choice(Compression.class),
                    options -> Parsers.lowerCase(options.storage().compression()));

    static final ConfigKey<Long> COMPACTION_RATE =
            new ConfigKey<>(
                    "compaction-bytes-per-second",
                    "Bytes that compaction may write in a second while it is not behind; faster"
                            + " when it is; 0 for no limit.",
                    "64MiB",
                    Parsers.bytes(0, 1_024 * GIB),
                    options -> "" + options.storage().compactionBytesPerSecond());

    static final ConfigKey<Duration> SCRUB_INTERVAL =
            new ConfigKey<>(
                    "scrub-interval",
                    "Time, in ms, in which every block on disk is read once to see whether it is"
                            + " whole; 0 for never.",
                    "604800000, a week",
                    Parsers.millis(0, 366L * 86_400_000),
                    options -> options.storage().scrubMillis() + "ms");

    static final ConfigKey<Duration> HINT_WINDOW =
            new ConfigKey<>(
                    "hint-window",
                    "How long a write is kept, in ms, for a replica that missed it; 0 keeps none."
                            + " Longer takes more disk while a replica is away.",
                    "10800000, three hours",
                    Parsers.millis(0, WEEK_MILLIS),
                    options -> options.hints().window().toMillis() + "ms");

    static final ConfigKey<Long> HINT_BYTES =
            new ConfigKey<>(
                    "hint-bytes",
                    "Bytes of writes kept for each replica that missed them, about; what comes"
                            + " beyond that is left to repair.",
                    "256MiB",
                    Parsers.bytes(0, 1_024 * GIB),
                    options -> "" + options.hints().bytesPerReplica());

    static final ConfigKey<Long> HINT_RATE =
            new ConfigKey<>(
                    "hint-bytes-per-second",
                    "Bytes of kept writes sent in a second to each replica that is back; 0 for no"
                            + " limit, which slows it down.",
                    "2MiB",
                    Parsers.bytes(0, 1_024 * GIB),
                    options -> "" + options.hints().bytesPerSecond());

    static final ConfigKey<Duration> REPAIR_INTERVAL =
            new ConfigKey<>(
                    "repair-interval",
                    "How often this node compares what it holds with each peer, in ms, and repairs"
                            + " what differs; 0 for only when told.",
                    "3600000",
                    Parsers.millis(0, 31L * 86_400_000),
                    options -> options.repair().interval().toMillis() + "ms");

    static final ConfigKey<Long> REPAIR_RATE =
            new ConfigKey<>(
                    "repair-bytes-per-second",
                    "Bytes that a repair may read and send in a second; 0 for no limit.",
                    "16MiB",
                    Parsers.bytes(0, 1_024 * GIB),
                    options -> "" + options.repair().bytesPerSecond());

    static final ConfigKey<Long> REBUILD_RATE =
            new ConfigKey<>(
                    "rebuild-bytes-per-second",
                    "The same for a member that began with an empty disk, and does not vote until"
                            + " it has fetched what it is to have.",
                    "64MiB",
                    Parsers.bytes(0, 1_024 * GIB),
                    options -> "" + options.repair().rebuildBytesPerSecond());

    static final ConfigKey<Boolean> TRUST_EMPTY_DISK =
            new ConfigKey<>(
                    "trust-empty-disk",
                    "Whether a member votes at once, whatever its data directory lacks and however old"
                            + " it is, without asking the others. What it acknowledged and has no"
                            + " more is then missing from reads.",
                    "false",
                    Parsers.yesOrNo(),
                    options -> "" + options.repair().trustEmptyDisk());

    static final ConfigKey<LogFormat> LOG_FORMAT =
            new ConfigKey<>(
                    "log-format",
                    "How log lines look: text or json.",
                    "text",
                    Parsers.choice(LogFormat.class),
                    options -> Parsers.lowerCase(options.logging().format()));

    static final ConfigKey<Duration> SLOW_OPERATION =
            new ConfigKey<>(
                    "slow-operation",
                    "From how long on an operation is logged with its explanation, in ms, and whether"
                            + " those are that fail with 504; 0 logs none. At most ten lines a"
                            + " second.",
                    "500",
                    Parsers.millis(0, 600_000),
                    options -> options.logging().slowOperation().toMillis() + "ms");

    /** In the order of the documentation. */
    static final List<ConfigKey<?>> ALL =
            List.of(
                    NAME,
                    TOPOLOGY,
                    REPLICATION_FACTOR,
                    HOST,
                    PORT,
                    PEER_PORT_OFFSET,
                    PEER_ADDRESSES,
                    KNOWN_HOSTS,
                    CORS_ORIGINS,
                    DATA,
                    DURABILITY,
                    ASYNC_WINDOW,
                    SECRET,
                    SECRET_FILE,
                    TOKEN_FILE,
                    INSECURE,
                    TLS_CERTIFICATE,
                    TLS_KEY,
                    TLS_CA,
                    REQUEST_TIMEOUT,
                    HEADER_TIMEOUT,
                    IDLE_TIMEOUT,
                    DRAIN_TIMEOUT,
                    MAX_CLOCK_DRIFT,
                    MAX_VALUE_BYTES,
                    MAX_BODY_BYTES_IN_FLIGHT,
                    MAX_CONNECTIONS,
                    MAX_CONNECTIONS_PER_ADDRESS,
                    RANGES_PER_ADDRESS,
                    SELECTORS,
                    PEER_SELECTORS,
                    READ_THREADS,
                    MEMTABLE_BYTES,
                    SEGMENT_BYTES,
                    RESERVED_DISK_BYTES,
                    COMPRESSION,
                    COMPACTION_RATE,
                    SCRUB_INTERVAL,
                    HINT_WINDOW,
                    HINT_BYTES,
                    HINT_RATE,
                    REPAIR_INTERVAL,
                    REPAIR_RATE,
                    REBUILD_RATE,
                    TRUST_EMPTY_DISK,
                    LOG_FORMAT,
                    SLOW_OPERATION);

    private ConfigTable() {}

    private static String tls(NodeOptions options, Function<NodeOptions.Tls, @Nullable Path> file) {
        NodeOptions.Tls tls = options.access().tls();
        return tls == null ? "" : Parsers.text(file.apply(tls));
    }

    static @Nullable ConfigKey<?> named(String name) {
        for (ConfigKey<?> key : ALL) {
            if (key.name().equals(name)) {
                return key;
            }
        }
        return null;
    }

    static @Nullable ConfigKey<?> ofVariable(String variable) {
        for (ConfigKey<?> key : ALL) {
            if (key.variable().equals(variable)) {
                return key;
            }
        }
        return null;
    }

    static List<String> names() {
        return ALL.stream().<String>map(ConfigKey::name).toList();
    }

    static List<String> flags() {
        return ALL.stream().<String>map(key -> "--" + key.name()).toList();
    }

    static List<String> variables() {
        return ALL.stream().<String>map(ConfigKey::variable).toList();
    }
}
