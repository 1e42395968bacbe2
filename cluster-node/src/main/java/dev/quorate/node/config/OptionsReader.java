package dev.quorate.node.config;

import com.google.errorprone.annotations.FormatMethod;
import com.sun.management.HotSpotDiagnosticMXBean;
import dev.quorate.node.config.Settings.Setting;
import dev.quorate.router.runtime.Units;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads and checks the options. Continues after an invalid value, to report all of them. */
public final class OptionsReader implements Option.Given {

    private final Settings settings;
    private final long heapBytes;
    private final List<String> violations;

    /** By name. Options without a value, or with an invalid one, have null. */
    private final Map<String, @Nullable Object> values = new HashMap<>();

    private OptionsReader(Settings settings, long heapBytes) {
        this.settings = settings;
        this.heapBytes = heapBytes;
        this.violations = new ArrayList<>(settings.violations());
    }

    /** Like {@link #read(Settings)}, with each text as a flag; for tests and embedding. */
    public static NodeOptions read(Map<String, String> texts) {
        return read(Settings.resolve(texts, Map.of(), Files::readString));
    }

    /**
     * Parses and checks everything.
     *
     * @throws ConfigException with all violations
     */
    public static NodeOptions read(Settings settings) {
        // Runtime.maxMemory is less than -Xmx, by a part of the young objects.
        return read(
                settings,
                Long.parseLong(
                        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                                .getVMOption("MaxHeapSize")
                                .getValue()));
    }

    /** The same for a heap of another size. */
    static NodeOptions read(Settings settings, long heapBytes) {
        return new OptionsReader(settings, heapBytes).read();
    }

    private NodeOptions read() {
        NodeOption.ALL.forEach(this::get);
        checkMembers();
        checkPeerPorts();
        checkSizes();
        checkAccess();
        Secret secret = secret();
        if (!violations.isEmpty()) {
            throw new ConfigException(violations);
        }
        values.values().removeIf(Objects::isNull);
        return new NodeOptions(values, secret);
    }

    @Override
    @SuppressWarnings("unchecked") // only this method adds values
    public <T> @Nullable T get(Option<T> option) {
        if (!values.containsKey(option.name())) {
            Setting setting = settings.get(option);
            values.put(
                    option.name(),
                    setting == null ? option.initial().apply(this) : parse(option, setting));
        }
        return (T) values.get(option.name());
    }

    private <T> @Nullable T parse(Option<T> option, Setting setting) {
        try {
            return option.kind().parser().apply(setting.text());
        } catch (IllegalArgumentException e) {
            violation(
                    "%s=%s: %s (%s).",
                    option.name(), setting.text(), e.getMessage(), setting.origin());
            return null;
        }
    }

    @Override
    public long heapBytes() {
        return heapBytes;
    }

    @Override
    @FormatMethod
    public void violation(String sentence, @Nullable Object... parts) {
        violations.add(sentence.formatted(parts));
    }

    private boolean isGiven(Option<?> option) {
        return settings.get(option) != null;
    }

    private void checkMembers() {
        if (get(NodeOption.JOIN) != null) {
            for (Option<?> option : List.of(NodeOption.TOPOLOGY, NodeOption.REPLICATION_FACTOR)) {
                if (isGiven(option)) {
                    violation("join excludes %s: the cluster has one already.", option.name());
                }
            }
        }
        Topology topology = get(NodeOption.TOPOLOGY);
        if (topology == null) {
            return;
        }
        Integer factor = get(NodeOption.REPLICATION_FACTOR);
        if (factor != null && factor > topology.size()) {
            violation(
                    "replication-factor is %d, more than the %d members of the topology.",
                    factor, topology.size());
        } else if (factor != null) {
            values.put(NodeOption.TOPOLOGY.name(), new Topology(topology.members(), factor));
        }
        requireMember("name is", get(NodeOption.NAME), topology);
        Map<String, ?> addresses = get(NodeOption.PEER_ADDRESSES);
        if (addresses != null) {
            addresses
                    .keySet()
                    .forEach(each -> requireMember("peer-addresses names", each, topology));
        }
    }

    private void requireMember(String subject, @Nullable String name, Topology topology) {
        if (name != null && topology.member(name) == null) {
            violation(
                    "%s '%s', which the topology does not list: %s.",
                    subject, name, NodeOption.names(topology));
        }
    }

    private void checkPeerPorts() {
        Topology topology = get(NodeOption.TOPOLOGY);
        if (topology != null) {
            topology.members().forEach(each -> checkPeerPort(each.name(), each.url().getPort()));
        }
        Member self = NodeOption.self(this);
        Integer port = get(NodeOption.PORT);
        if (port != null && (self == null || self.url().getPort() != port)) {
            checkPeerPort("this node", port);
        }
    }

    private void checkPeerPort(String whose, int port) {
        Integer offset = get(NodeOption.PEER_PORT_OFFSET);
        if (offset != null && port + offset > Kind.MAX_PORT) {
            violation(
                    "peer-port-offset is %d, which would put the port for peers of %s at %d, above"
                            + " %d.",
                    offset, whose, port + offset, Kind.MAX_PORT);
        }
    }

    private void checkSizes() {
        Long value = get(NodeOption.MAX_VALUE_BYTES);
        Long bodies = get(NodeOption.MAX_BODY_BYTES_IN_FLIGHT);
        if (value != null && value > heapBytes / 8) {
            violation(
                    "max-value-bytes is %s, more than an eighth of the heap (-Xmx is %s): give at"
                            + " most %s, or the node a larger heap.",
                    Units.SIZE.text(value),
                    Units.SIZE.text(heapBytes),
                    Units.SIZE.text(heapBytes / 8));
        }
        if (value != null && bodies != null && bodies < value) {
            violation(
                    "max-body-bytes-in-flight is %s, less than max-value-bytes, %s, so the largest"
                            + " values could never be taken.",
                    Units.SIZE.text(bodies), Units.SIZE.text(value));
        }
    }

    private void checkAccess() {
        String host = get(NodeOption.HOST);
        if (host != null
                && !NodeOptions.isLoopback(host)
                && !isGiven(NodeOption.TOKEN_FILE)
                && Boolean.FALSE.equals(get(NodeOption.INSECURE))) {
            violation(
                    "token-file is missing: other machines may reach the node at %s, and could"
                            + " read and write everything; give token-file, or --insecure if that"
                            + " is meant.",
                    host);
        }
        if (get(NodeOption.JOIN_TOKENS) == JoinTokens.REQUIRED && !isGiven(NodeOption.TOKEN_FILE)) {
            violation(
                    "token-file is missing: without it anyone can make the tokens of join-tokens.");
        }
        List<Option<Path>> tls =
                List.of(NodeOption.TLS_CERTIFICATE, NodeOption.TLS_KEY, NodeOption.TLS_CA);
        for (Option<Path> part : tls) {
            boolean isNeeded = hasPeers() || !part.equals(NodeOption.TLS_CA);
            if (isNeeded && !isGiven(part) && tls.stream().anyMatch(this::isGiven)) {
                violation(
                        "%s is missing: TLS needs tls-certificate and tls-key, and tls-ca where"
                                + " there are peers.",
                        part.name());
            }
        }
    }

    private boolean hasPeers() {
        Topology topology = get(NodeOption.TOPOLOGY);
        return topology != null && (topology.size() > 1 || get(NodeOption.JOIN) != null);
    }

    /** The secret from the option or the file, whichever source has the higher precedence. */
    private @Nullable Secret secret() {
        Setting direct = settings.get(NodeOption.SECRET);
        Setting inFile = settings.get(NodeOption.SECRET_FILE);
        if (direct != null && inFile != null && direct.rank() == inFile.rank()) {
            violation("secret and secret-file are both given; one of them has to go.");
        } else if (inFile != null
                && (direct == null || inFile.rank().compareTo(direct.rank()) > 0)) {
            return secretOfFile(inFile);
        } else if (direct != null) {
            return secretOf(direct.text(), null, NodeOption.SECRET);
        } else if (hasPeers()) {
            violation(
                    "secret is missing: it authenticates the members of a cluster, so give secret"
                            + " or secret-file.");
        }
        return null;
    }

    private @Nullable Secret secretOfFile(Setting setting) {
        Path file = get(NodeOption.SECRET_FILE);
        try {
            return file == null
                    ? null
                    : secretOf(settings.files().read(file), file, NodeOption.SECRET_FILE);
        } catch (IOException | UncheckedIOException e) {
            violation("secret-file is %s, which cannot be read: %s.", setting.text(), e);
            return null;
        }
    }

    private @Nullable Secret secretOf(String text, @Nullable Path file, Option<?> option) {
        try {
            return new Secret(text, file);
        } catch (IllegalArgumentException e) {
            violation("%s %s", option.name(), e.getMessage());
            return null;
        }
    }
}
