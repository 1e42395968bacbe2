package dev.quorate.node.config;

import dev.quorate.node.config.Settings.Setting;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Durability;
import dev.quorate.storage.StorageOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The values of a node's options. Immutable and valid. */
public final class NodeOptions {

    /** A queued write also has its key and some framing. */
    private static final int ENTRY_OVERHEAD_BYTES = 64 * 1024;

    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[?(::1|(0{1,4}:){7}0{0,3}1)\\]?");

    private final Map<String, Object> values;
    private final @Nullable Secret secret;
    private final StorageOptions storage;

    /**
     * @param values the value of each option that has one, by name
     */
    NodeOptions(Map<String, Object> values, @Nullable Secret secret) {
        this.values = Map.copyOf(values);
        this.secret = secret;
        this.storage = newStorage();
    }

    private NodeOptions(NodeOptions of, StorageOptions storage) {
        this.values = of.values;
        this.secret = of.secret;
        this.storage = storage;
    }

    /** A copy with changed storage options, including those that users cannot set; for tests. */
    public NodeOptions withStorage(UnaryOperator<StorageOptions> change) {
        return new NodeOptions(this, change.apply(storage));
    }

    /** A copy with another topology, which has this node. */
    public NodeOptions with(Topology topology) {
        Map<String, Object> changed = new HashMap<>(values);
        changed.put(NodeOption.TOPOLOGY.name(), topology);
        return new NodeOptions(changed, secret);
    }

    private StorageOptions newStorage() {
        StorageOptions defaults = StorageOptions.defaults();
        // All bodies in memory fit into the queue of writes, which shares their arrays: clients'
        // bodies, and a quarter more for peers' and small ones.
        long bodies = get(NodeOption.MAX_BODY_BYTES_IN_FLIGHT);
        return defaults.withMaxQueuedBytes(
                        Math.max(
                                defaults.maxQueuedBytes(),
                                bodies + bodies / 4 + ENTRY_OVERHEAD_BYTES))
                .withMemtableBytes(get(NodeOption.MEMTABLE_BYTES))
                .withSegmentBytes(get(NodeOption.SEGMENT_BYTES))
                .withDurability(get(NodeOption.DURABILITY))
                .withReservedDiskBytes(get(NodeOption.RESERVED_DISK_BYTES))
                .withCompression(get(NodeOption.COMPRESSION))
                .withCompactionBytesPerSecond(get(NodeOption.COMPACTION_RATE))
                .withScrubMillis(get(NodeOption.SCRUB_INTERVAL).toMillis());
    }

    /** The value of an option that always has one. */
    public <T> T get(Option<T> option) {
        return Objects.requireNonNull(find(option), option.name());
    }

    /** The value of an option; null if it has none. */
    @SuppressWarnings("unchecked") // the reader adds values of the options' types
    public <T> @Nullable T find(Option<T> option) {
        return (T) values.get(option.name());
    }

    /** The members, the same on every node. */
    public Topology topology() {
        return get(NodeOption.TOPOLOGY);
    }

    public Member self() {
        return Objects.requireNonNull(topology().member(get(NodeOption.NAME)));
    }

    /** The cluster's secret; null only for a single member without one. */
    public @Nullable Secret secret() {
        return secret;
    }

    public StorageOptions storage() {
        return storage;
    }

    public int maxValueBytes() {
        return Math.toIntExact(get(NodeOption.MAX_VALUE_BYTES));
    }

    public int peerPort() {
        return get(NodeOption.PORT) + get(NodeOption.PEER_PORT_OFFSET);
    }

    /**
     * The error message for an address that cannot be opened: the topology may name a proxy, or the
     * machine around a container.
     */
    public String cannotListen(String why) {
        if (why.contains("in use")) {
            return why + ": another process listens there, perhaps a node of this machine.";
        }
        return get(NodeOption.HOST).equals(NodeOption.hostOf(self()))
                ? why
                        + ". That is this node's host in the topology: if it is not an address of"
                        + " this machine, name one with --host (0.0.0.0 is every address)."
                : why;
    }

    /**
     * The unresolved addresses of a member's peer endpoint, as seen from this node: that of the
     * member and, if another one, that of the option {@code topology}.
     */
    public List<InetSocketAddress> peerAddresses(Member member) {
        InetSocketAddress elsewhere = get(NodeOption.PEER_ADDRESSES).get(member.name());
        if (elsewhere != null) {
            return List.of(elsewhere);
        }
        return Stream.of(member, topology().member(member.name()))
                .filter(Objects::nonNull)
                .map(Member::url)
                .distinct()
                .map(
                        url ->
                                InetSocketAddress.createUnresolved(
                                        url.getHost(),
                                        url.getPort() + get(NodeOption.PEER_PORT_OFFSET)))
                .toList();
    }

    /** Warnings for the operator at start-up, one sentence each. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        String host = get(NodeOption.HOST);
        String address = host + ":" + get(NodeOption.PORT);
        Path tokenFile = find(NodeOption.TOKEN_FILE);
        if (storage.durability() == Durability.ASYNC) {
            warnings.add(
                    "durability is async: a crash can lose what was acknowledged in the last "
                            + storage.asyncWindowMillis()
                            + " ms.");
        }
        if (tokenFile == null && !isLoopback(host)) {
            warnings.add(
                    "insecure is true and there is no token-file: anyone who reaches "
                            + address
                            + " can read and write everything.");
        }
        if (tokenFile == null && get(NodeOption.KNOWN_HOSTS).contains("*")) {
            warnings.add(
                    "known-hosts is * and token-file is missing: a page in a browser that can reach"
                            + " this node can read and write everything (DNS rebinding).");
        }
        if (tokenFile != null && find(NodeOption.TLS_CERTIFICATE) == null && !isLoopback(host)) {
            warnings.add(
                    "there is no tls-certificate: anyone between the clients and "
                            + address
                            + " can read their tokens.");
        }
        if (isLoopback(host) && !isLoopback(Objects.requireNonNull(self().url().getHost()))) {
            warnings.add(
                    "host is %s, so other machines cannot reach this node at %s; 0.0.0.0 listens on every address."
                            .formatted(host, self().url()));
        }
        return warnings;
    }

    /** The output of {@code --print-config}: every option, its value (masked), and its origin. */
    public String effective(Settings settings) {
        StringBuilder text = new StringBuilder();
        for (Option<?> option : NodeOption.ALL) {
            Setting setting = settings.get(option);
            text.append(
                    "%-26s %s  (%s)%n"
                            .formatted(
                                    option.name(),
                                    text(option),
                                    setting == null ? "default" : setting.origin()));
        }
        return text.toString();
    }

    /** The value of an option as users write it, a secret masked; - if it has none. */
    <T> String text(Option<T> option) {
        T value = find(option);
        String text = value == null ? "" : option.kind().printer().apply(value);
        return text.isEmpty() ? "-" : text;
    }

    /** Whether only this machine reaches that host. */
    static boolean isLoopback(String host) {
        return LOOPBACK.matcher(host).matches();
    }
}
