package dev.quorate.cli.client;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.NodeAccess;
import dev.quorate.node.config.NodeOption;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.Secret;
import dev.quorate.node.directory.DataDirectory;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code node --join}: finds the members of the cluster, and asks them to add this node to it
 * (decision 0052). A directory that has been a member asks for nothing: it is one, or was removed.
 */
public final class JoinRun {

    private static final Logger LOG = LoggerFactory.getLogger(JoinRun.class);
    private static final int TIMEOUT_MILLIS = 10_000;

    /** A restart does not wait longer for members that do not answer. */
    private static final int SHORT_TIMEOUT_MILLIS = 1_000;

    private final NodeOptions options;
    private final Member self;
    private final List<Node> members;
    private final Secret secret;
    private boolean isMember;

    /**
     * @param urls the option {@code join}
     * @throws IllegalArgumentException if a file of the options is invalid
     */
    public JoinRun(NodeOptions options, List<String> urls) {
        this.options = options;
        this.self = options.self();
        NodeAccess access =
                NodeAccess.of(
                        options.find(NodeOption.JOIN_TOKEN_FILE),
                        options.find(NodeOption.TLS_CA),
                        Map.of());
        this.secret = Objects.requireNonNull(options.secret(), "required with join");
        this.members = urls.stream().map(url -> Node.parse(url, access)).toList();
    }

    /**
     * The options with the members that this node knows, and itself.
     *
     * @throws IOException if the directory is new, and no member answers or another member has this
     *     node's name
     */
    public NodeOptions prepared() throws IOException {
        Topology recorded = DataDirectory.recorded(new DiskFiles(), options.get(NodeOption.DATA));
        List<Member> known = new ArrayList<>();
        if (recorded != null && recorded.epoch() > 0) {
            isMember = true;
            requireCluster(String.valueOf(recorded.cluster()));
            recorded.members().forEach(each -> known.add(new Member(each.name(), each.url())));
        } else {
            RingPage ring = page(TIMEOUT_MILLIS).ring();
            ring.urls().forEach((name, url) -> known.add(new Member(name, URI.create(url))));
            isMember = known.contains(self);
            if (isMember && !new Topology(known).hasAt(self)) {
                throw new IOException(
                        "The cluster has a member '%s' at %s. Choose another name; or, if this node"
                                        .formatted(self.name(), ring.urls().get(self.name()))
                                + " is to replace it, start it with --topology and without --join.");
            }
        }
        known.removeIf(self::equals);
        known.add(self);
        return options.with(new Topology(known));
    }

    /** Refuses the directory of another cluster than the one to join, if a member answers. */
    private void requireCluster(String recorded) throws IOException {
        String joined;
        try {
            joined = page(SHORT_TIMEOUT_MILLIS).ring().cluster();
        } catch (NotYetException e) {
            return;
        }
        if (!joined.equals(recorded)) {
            throw new IOException(
                    "%s is of the cluster %s, and the members to join are of %s: give another directory."
                            .formatted(options.get(NodeOption.DATA), recorded, joined));
        }
    }

    /**
     * Returns when the members have begun to add this node, however long that takes.
     *
     * @throws IOException if they refuse it for good
     */
    public void await() throws IOException, InterruptedException {
        String last = "";
        while (!isMember) {
            try {
                Page page = page(TIMEOUT_MILLIS);
                isMember = page.ring().urls().containsKey(self.name()) || add(page);
            } catch (NotYetException e) {
                String now = String.valueOf(e.getMessage());
                if (!now.equals(last)) {
                    LOG.warn("This node cannot join yet: {}", now);
                }
                last = now;
                if (!Commands.sleepNanos(TimeUnit.SECONDS.toNanos(1))) {
                    throw new InterruptedException();
                }
            }
        }
    }

    private record Page(Node node, RingPage ring) {}

    /** What may be possible later. */
    private static final class NotYetException extends IOException {

        private static final long serialVersionUID = 1;

        NotYetException(String why) {
            super(why);
        }
    }

    /** The page of the first member that answers. */
    private Page page(int timeoutMillis) throws NotYetException {
        List<String> failures = new ArrayList<>();
        for (Node each : members) {
            try {
                Node.Answer answer = ask(each, "", "", timeoutMillis);
                RingPage ring = answer.status() == 200 ? RingPage.parse(answer.text()) : null;
                if (ring != null && !ring.cluster().isEmpty()) {
                    return new Page(each, ring);
                }
                failures.add(
                        ring == null
                                ? each.url() + " answers " + answer.problem()
                                : each.url() + " has not founded its cluster yet");
            } catch (IOException e) {
                failures.add(each.url() + " cannot be asked: " + Node.reason(e));
            }
        }
        throw new NotYetException(String.join("; ", failures) + ".");
    }

    /** Asks a member on the page for joining, with the seal of the secret. */
    private Node.Answer ask(Node node, String epoch, String query, int timeoutMillis)
            throws IOException {
        String match = epoch.isEmpty() ? "*" : epoch;
        return node.post(
                "/v0/join" + (query.isEmpty() ? "" : "?" + query),
                timeoutMillis,
                "If-Match",
                match,
                Secret.JOIN_SEAL,
                secret.sealOfJoin(match, query));
    }

    /** How many bytes the disk has room for. */
    private long freeBytes() throws IOException {
        long free = new DiskFiles().freeBytes(options.get(NodeOption.DATA));
        return Math.max(free - options.storage().reservedDiskBytes(), 0);
    }

    private boolean add(Page page) throws IOException {
        // An invitation is known to the member that made it, with whose name it begins.
        String token = page.node().access().token();
        String inviter = token == null ? null : page.ring().urls().get(token.split("\\.", 2)[0]);
        Node node = inviter == null ? page.node() : page.node().peer(inviter);
        String query =
                "name=%s&url=%s&zone=%s&weight=%d&free=%d"
                        .formatted(
                                self.name(),
                                self.url(),
                                self.place().zone(),
                                self.place().weightPercent(),
                                freeBytes());
        Node.Answer answer;
        try {
            answer = ask(node, "\"" + page.ring().epoch() + "\"", query, TIMEOUT_MILLIS);
        } catch (IOException e) {
            throw new NotYetException(node.url() + " did not answer: " + Node.reason(e) + ".");
        }
        String said = node.url() + " answers " + answer.problem();
        switch (answer.status()) {
            case 200 -> LOG.info("{} takes this node as a member; keys move to it now", node.url());
            case 409, 412, 429, 503 -> throw new NotYetException(said);
            default -> throw new IOException(said);
        }
        return true;
    }
}
