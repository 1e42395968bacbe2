package dev.quorate.node.config;

import dev.quorate.node.config.Option.Given;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.Units;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Compression;
import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The options of a node. */
public final class NodeOption {

    private static final List<Option<?>> DECLARED = new ArrayList<>();

    private static final String NONE = "none";
    private static final String ANY_SIZE = "1024GiB";
    private static final long MIB = 1 << 20;

    public static final Option<String> NAME =
            option(
                    "name",
                    Kind.text("NAME"),
                    NodeOption::onlyMember,
                    "the only member, if there is one",
                    "Name of this node in the topology.");

    public static final Option<Topology> TOPOLOGY =
            option(
                    "topology",
                    Kind.topology(),
                    NodeOption::noTopology,
                    "none, it is required",
                    "Members of the cluster, n1=http://host:port,n2=..., the same on every node."
                            + " Nodes with different topologies refuse each other.");

    public static final Option<List<String>> JOIN =
            optional(
                    "join",
                    Kind.list(
                            "URLS",
                            "URLs of members, http://host:port,..., or with https",
                            "https?://[^,/?#@]+:[0-9]{1,5}/?"),
                    "URLs of members of a cluster that this node joins, one or more, instead of"
                            + " topology. Needs name and address. A directory that is a member's"
                            + " already does not ask to join again.");

    public static final Option<String> ADDRESS =
            optional(
                    "address",
                    Kind.text("URL"),
                    "With join: the address by which members and clients reach this node,"
                            + " http://host:port.");

    public static final Option<String> ZONE =
            optional(
                    "zone",
                    Kind.text("ZONE"),
                    "With join: the zone of this node. Copies of a key are in different zones while"
                            + " there are enough. ./quorate member set changes it later.");

    public static final Option<Integer> WEIGHT =
            option(
                    "weight",
                    Kind.percent(),
                    given -> 100,
                    "1",
                    "With join: 0.25 to 8; a node of weight 2 gets twice the keys. ./quorate member"
                            + " set changes it later.");

    public static final Option<Path> JOIN_TOKEN_FILE =
            file(
                    "join-token-file",
                    "With join: file with a token of ./quorate member invite, if the members have"
                            + " join-tokens=required.");

    public static final Option<JoinTokens> JOIN_TOKENS =
            option(
                    "join-tokens",
                    Kind.choice(JoinTokens.class),
                    "off",
                    "With required, a node that asks this one to let it join shows a token of"
                            + " ./quorate member invite, besides the secret. Needs token-file.");

    public static final Option<Integer> REPLICATION_FACTOR =
            option(
                    "replication-factor",
                    Kind.number(1, QuorumSpec.MAX_FROM),
                    given -> map(given.get(TOPOLOGY), Topology::replicationFactor),
                    "all members up to three, then 3",
                    "Copies of a key if a request does not specify them, the same on every node.");

    public static final Option<String> HOST =
            option(
                    "host",
                    Kind.text("ADDRESS"),
                    given -> map(self(given), NodeOption::hostOf),
                    "the host of this node in the topology",
                    "Address to listen on, for clients and peers. 0.0.0.0 is every address.");

    public static final Option<Integer> PORT =
            option(
                    "port",
                    Kind.number(1, Kind.MAX_PORT),
                    given -> map(self(given), self -> self.url().getPort()),
                    "the port of this node in the topology",
                    "Port for clients.");

    public static final Option<Integer> PEER_PORT_OFFSET =
            option(
                    "peer-port-offset",
                    Kind.number(1, Kind.MAX_PORT),
                    "10000",
                    "Added to a member's port to get its port for peers, the same on every node.");

    public static final Option<Map<String, InetSocketAddress>> PEER_ADDRESSES =
            option(
                    "peer-addresses",
                    Kind.addresses(),
                    given -> Map.of(),
                    "the hosts of the topology, and the ports for peers",
                    "Addresses of members' ports for peers as seen from this node,"
                            + " n2=host:port,n3=..., if they differ from the topology, for example"
                            + " behind address translation.");

    public static final Option<List<String>> KNOWN_HOSTS =
            option(
                    "known-hosts",
                    Kind.list(
                            "HOSTS",
                            "names of hosts, name,name,..., or *",
                            "[A-Za-z0-9._-]{1,253}|\\*"),
                    given -> List.of(),
                    NONE,
                    "Host names, name,name,..., by which clients may address this node, in addition"
                            + " to those of the topology, localhost and numeric addresses. Checked"
                            + " for every path but /livez; with tokens, for /admin only. * allows"
                            + " every name, except for /admin.");

    /** As browsers send them: no path, no default port, lower case. */
    public static final Option<List<String>> CORS_ORIGINS =
            option(
                    "cors-origins",
                    Kind.list(
                            "ORIGINS",
                            "origins, https://host,http://host:port,... in lower case and without"
                                    + " a path",
                            "https?://[a-z0-9._-]{1,253}(:[1-9][0-9]{0,4})?"),
                    given -> List.of(),
                    NONE,
                    "Origins, https://app.example,http://host:port,..., whose pages may use the API"
                            + " from a browser, except /admin. Such a page can read and write"
                            + " everything if its user can reach the node.");

    public static final Option<Path> DATA =
            option(
                    "data",
                    Kind.path("DIR"),
                    given -> map(given.get(NAME), name -> Path.of("quorate-data", name)),
                    "quorate-data/<name>",
                    "Directory for all files of the node.");

    public static final Option<Durability> DURABILITY =
            option(
                    "durability",
                    Kind.choice(Durability.class),
                    "fsync",
                    "fsync acknowledges a write when it is on disk. async may lose the last"
                            + " acknowledged writes in a crash.");

    public static final Option<String> SECRET =
            optional(
                    "secret",
                    Kind.secret(),
                    "Shared secret that authenticates members, at least 16 characters, required"
                            + " with more than one member. Every user of the machine can see a"
                            + " flag: prefer secret-file.");

    public static final Option<Path> SECRET_FILE =
            file(
                    "secret-file",
                    "File with the secret. While the secret is rotated, a second line may contain"
                            + " another secret, which is accepted too. Reloaded when it changes.");

    public static final Option<Path> TOKEN_FILE =
            file(
                    "token-file",
                    "File of access tokens, made by ./quorate token add. Requests of clients then"
                            + " need a token. The node follows changes of the file.");

    public static final Option<Boolean> INSECURE =
            option(
                    "insecure",
                    Kind.yesOrNo(),
                    "false",
                    "Allows the node to listen beyond this machine without token-file: anyone who"
                            + " reaches it can read and write everything.");

    public static final Option<Path> TLS_CERTIFICATE =
            file(
                    "tls-certificate",
                    "File with this node's certificate and the intermediate ones (PEM). Clients and"
                            + " peers then use TLS. The node follows changes of the three tls"
                            + " files.");

    public static final Option<Path> TLS_KEY =
            file(
                    "tls-key",
                    "File with the private key (PEM, PKCS #8), which only its owner may read.");

    public static final Option<Path> TLS_CA =
            file(
                    "tls-ca",
                    "File with the CA certificates (PEM) to verify the members with. A peer without"
                            + " a certificate of theirs is refused.");

    public static final Option<Duration> REQUEST_TIMEOUT =
            option(
                    "request-timeout",
                    Kind.duration("10ms", "10m"),
                    "1s",
                    "Time an operation waits for its replicas before it fails with 504.");

    public static final Option<Duration> DRAIN_TIMEOUT =
            option(
                    "drain-timeout",
                    Kind.duration("0", "10m"),
                    "10s",
                    "Time a stopping node waits for requests in progress.");

    public static final Option<Duration> MAX_CLOCK_DRIFT =
            option(
                    "max-clock-drift",
                    Kind.duration("1ms", "1h"),
                    "500ms",
                    "Maximum difference between the wall clocks of nodes. A message is refused if"
                            + " it is 2 s further ahead, as a node that restarts quickly may be.");

    public static final Option<Long> MAX_VALUE_BYTES =
            option(
                    "max-value-bytes",
                    Kind.size("0", Units.SIZE.text(Entry.MAX_VALUE_BYTES)),
                    given -> Math.min(16 * MIB, given.heapBytes() / 8),
                    "16MiB, or an eighth of -Xmx if that is less",
                    "Largest value. A larger one is answered with 413. At most an eighth of -Xmx,"
                            + " because a value is in memory several times.");

    public static final Option<Long> MAX_BODY_BYTES_IN_FLIGHT =
            option(
                    "max-body-bytes-in-flight",
                    Kind.size("1B", "64GiB"),
                    given ->
                            map(
                                    given.get(MAX_VALUE_BYTES),
                                    max -> Math.max(max, Runtime.getRuntime().maxMemory() / 8)),
                    "an eighth of the heap, or max-value-bytes if that is more",
                    "Request bodies in memory at a time. One more is answered with 503.");

    public static final Option<Integer> MAX_CONNECTIONS =
            option(
                    "max-connections",
                    Kind.number(1, 1_000_000),
                    "8192",
                    "Open connections of clients. One more is answered with 503 and closed.");

    public static final Option<Integer> MAX_CONNECTIONS_PER_ADDRESS =
            option(
                    "max-connections-per-address",
                    Kind.number(1, 1_000_000),
                    given -> map(given.get(MAX_CONNECTIONS), NodeOption::connectionsOfOneAddress),
                    "max-connections minus 64, or minus a 64th of them if that is more",
                    "Open connections of one client's address (IPv6: of one /64 network). One more"
                            + " is answered with 503 and closed.");

    public static final Option<Integer> RANGES_PER_ADDRESS =
            option(
                    "ranges-per-address",
                    Kind.number(1, 1_024),
                    // About two thirds of the ranges that the heap allows, at most three quarters.
                    given -> Math.clamp(Runtime.getRuntime().maxMemory() / (2 * MIB), 8, 768),
                    "one for each 2 MiB of the heap, at least 8 and at most 768",
                    "Open ranges of one client's address (IPv6: of one /64 network). One more is"
                            + " answered with 429.");

    public static final Option<Integer> SELECTORS =
            option(
                    "selectors",
                    Kind.number(1, 256),
                    given -> Math.min(Runtime.getRuntime().availableProcessors(), 16),
                    "one for each processor, at most 16",
                    "Threads that serve connections of clients.");

    public static final Option<Long> MEMTABLE_BYTES =
            option(
                    "memtable-bytes",
                    Kind.size("4KiB", "1GiB"),
                    "16MiB",
                    "Size at which a memtable, outside the heap, is flushed to a table. Up to three"
                            + " are in memory.");

    public static final Option<Long> SEGMENT_BYTES =
            option(
                    "segment-bytes",
                    Kind.size("8KiB", "1GiB"),
                    "32MiB",
                    "Size to which a log segment is preallocated.");

    public static final Option<Long> RESERVED_DISK_BYTES =
            option(
                    "reserved-disk-bytes",
                    Kind.size("0", ANY_SIZE),
                    "64MiB",
                    "Free disk space below which writes are refused, so that compaction can still"
                            + " free space.");

    public static final Option<Compression> COMPRESSION =
            option(
                    "compression",
                    Kind.choice(Compression.class),
                    "none",
                    "Compression of the blocks of new tables: none, or lz4, which takes less disk"
                            + " and more processor time. Tables of both kinds are readable.");

    public static final Option<Long> COMPACTION_RATE =
            option(
                    "compaction-bytes-per-second",
                    Kind.size("0", ANY_SIZE),
                    "64MiB",
                    "Rate at which compaction writes while its backlog is small. The rate rises"
                            + " with the backlog. 0 is no limit.");

    public static final Option<Duration> SCRUB_INTERVAL =
            option(
                    "scrub-interval",
                    Kind.duration("0", "366d"),
                    "7d",
                    "Period in which every block on disk is read and verified once. 0 disables.");

    public static final Option<Duration> HINT_WINDOW =
            option(
                    "hint-window",
                    Kind.duration("0", "7d"),
                    "3h",
                    "Age up to which a write is stored for a replica that missed it. Longer: more"
                            + " disk while a replica is down. 0 stores none.");

    public static final Option<Long> HINT_BYTES =
            option(
                    "hint-bytes",
                    Kind.size("0", ANY_SIZE),
                    "256MiB",
                    "Approximate size of the writes stored for each replica that missed them. More"
                            + " are left to repair.");

    public static final Option<Long> HINT_RATE =
            option(
                    "hint-bytes-per-second",
                    Kind.size("0", ANY_SIZE),
                    "2MiB",
                    "Rate at which stored writes are sent to each replica that is back. 0 is no"
                            + " limit, which slows the replica down.");

    public static final Option<Duration> REPAIR_INTERVAL =
            option(
                    "repair-interval",
                    Kind.duration("0", "31d"),
                    "1h",
                    "Repairs differences with each peer once in this period. 0 repairs only on"
                            + " request.");

    public static final Option<Long> REPAIR_RATE =
            option(
                    "repair-bytes-per-second",
                    Kind.size("0", ANY_SIZE),
                    "16MiB",
                    "Rate at which a repair reads and sends. 0 is no limit.");

    public static final Option<Long> REBUILD_RATE =
            option(
                    "rebuild-bytes-per-second",
                    Kind.size("0", ANY_SIZE),
                    "24MiB",
                    "The same for a member that gains keys in a change of members, or that has lost"
                            + " its disk.");

    public static final Option<Boolean> TRUST_EMPTY_DISK =
            option(
                    "trust-empty-disk",
                    Kind.yesOrNo(),
                    "false",
                    "Lets a member vote at once, however incomplete or old its data directory is,"
                            + " without asking the others. Reads then miss acknowledged writes that"
                            + " the directory has lost.");

    public static final Option<FoundingChoice> FOUNDING =
            option(
                    "founding",
                    Kind.choice(FoundingChoice.class),
                    "together",
                    "With new, a majority of members with empty directories may found the cluster;"
                            + " give it to each of them. The others then join like members that"
                            + " lost their disk. If a member that is down has data, this founds"
                            + " another cluster, which refuses it. together waits for all members.");

    public static final Option<LogStyle> LOG_FORMAT =
            option(
                    "log-format",
                    Kind.choice(LogStyle.class),
                    "text",
                    "Format of log lines: text or json.");

    public static final Option<Duration> SLOW_OPERATION =
            option(
                    "slow-operation",
                    Kind.duration("0", "10m"),
                    "500ms",
                    "Logs operations that take longer than this or fail with 504, with their"
                            + " explanation, at most ten lines a second. 0 disables.");

    /** All options, in the order of the documentation. */
    public static final List<Option<?>> ALL = Collections.unmodifiableList(DECLARED);

    private NodeOption() {}

    private static <T> Option<T> option(String name, Kind<T> kind, String initial, String help) {
        return declare(Option.of(name, kind, initial, help));
    }

    private static <T> Option<T> option(
            String name,
            Kind<T> kind,
            Function<Given, @Nullable T> initial,
            String defaultText,
            String help) {
        return declare(new Option<>(name, kind, initial, defaultText, help));
    }

    /** An option without a default. */
    private static <T> Option<T> optional(String name, Kind<T> kind, String help) {
        return option(name, kind, given -> null, NONE, help);
    }

    private static Option<Path> file(String name, String help) {
        return optional(name, Kind.path("FILE"), help);
    }

    private static <T> Option<T> declare(Option<T> option) {
        DECLARED.add(option);
        return option;
    }

    private static <T, R> @Nullable R map(@Nullable T value, Function<T, @Nullable R> function) {
        return value == null ? null : function.apply(value);
    }

    /** With {@code join}, this node alone, until it knows the others. */
    private static @Nullable Topology noTopology(Given given) {
        if (given.get(JOIN) != null) {
            String name = given.get(NAME);
            String address = given.get(ADDRESS);
            try {
                Integer weight = given.get(WEIGHT);
                if (name != null && address != null && weight != null) {
                    String zone = Objects.requireNonNullElse(given.get(ZONE), "");
                    Member.Place place = new Member.Place(zone, weight);
                    Member self = new Member(name, URI.create(address), 1);
                    return new Topology(List.of(self.in(place)));
                }
                given.violation("join needs name and address: say who joins, and where it is.");
            } catch (IllegalArgumentException e) {
                given.violation("With join: %s", e.getMessage());
            }
            return null;
        }
        given.violation(
                "topology is missing: give --topology n1=http://host:port,... or %s.",
                TOPOLOGY.variable());
        return null;
    }

    private static @Nullable String onlyMember(Given given) {
        Topology topology = given.get(JOIN) == null ? given.get(TOPOLOGY) : null;
        if (topology == null || topology.size() == 1) {
            return map(topology, only -> only.members().getFirst().name());
        }
        given.violation("name is missing: say which of %s this node is.", names(topology));
        return null;
    }

    static @Nullable Member self(Given given) {
        Topology topology = given.get(TOPOLOGY);
        String name = given.get(NAME);
        return topology == null || name == null ? null : topology.member(name);
    }

    static String names(Topology topology) {
        return topology.members().stream().map(Member::name).collect(Collectors.joining(", "));
    }

    /** A member's host in the topology: a name or an address, without the brackets of IPv6. */
    static String hostOf(Member member) {
        String host = Objects.requireNonNull(member.url().getHost());
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /**
     * Nearly all connections, because a proxy or a benchmark has one address, but few enough that a
     * probe from another address gets one.
     */
    private static int connectionsOfOneAddress(int all) {
        return Math.max(all - Math.max(64, all / 64), (all + 1) / 2);
    }

    /** The format of log lines. */
    public enum LogStyle {
        /** One line for people to read. */
        TEXT,
        /** One JSON object per line. */
        JSON
    }
}
