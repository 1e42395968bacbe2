package dev.quorate.cli.client;

import dev.quorate.cli.local.Node;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a node to {@code GET /v0/ring}.
 *
 * @param self the name of the member that answers
 * @param cluster the id of the cluster; empty if the member does not know it yet
 * @param epoch the number of the topology that it uses
 * @param urls the URLs that members use among themselves, by name
 * @param placement the parameters of the placement of keys, as text that is equal at all members
 */
public record RingPage(
        String self, String cluster, int epoch, Map<String, String> urls, String placement) {

    /** The pattern of a member's name, which may become a part of paths. */
    public static final String NAME = "[a-z0-9][a-z0-9-]{0,62}";

    private static final Pattern SELF = Pattern.compile("\"self\":\"(" + NAME + ")\",?");
    private static final Pattern CLUSTER = Pattern.compile("\"cluster\":\"([0-9a-f-]{36})\"");
    private static final Pattern EPOCH = Pattern.compile("\"epoch\":([0-9]{1,9}),");
    private static final Pattern MEMBER =
            Pattern.compile("\"name\":\"(" + NAME + ")\"(?:,\"url\":\"([^\"\\\\]*)\")?");

    public RingPage {
        urls = Map.copyOf(urls);
    }

    /** The names of all members, sorted. */
    public List<String> members() {
        return urls.keySet().stream().sorted().toList();
    }

    /**
     * Parses the page; null if it is invalid.
     *
     * @throws IOException if it names more members than a cluster can have
     */
    public static @Nullable RingPage parse(String page) throws IOException {
        Matcher self = SELF.matcher(page);
        if (!self.find()) {
            return null;
        }
        Map<String, String> urls = new HashMap<>();
        Matcher member = MEMBER.matcher(page);
        while (member.find()) {
            urls.put(member.group(1), member.group(2) == null ? "" : member.group(2));
            if (urls.size() > Node.MAX_MEMBERS) {
                throw new IOException(
                        "it names more than " + Node.MAX_MEMBERS + " members of its cluster");
            }
        }
        Matcher cluster = CLUSTER.matcher(page);
        Matcher epoch = EPOCH.matcher(page);
        return new RingPage(
                self.group(1),
                cluster.find() ? cluster.group(1) : "",
                epoch.find() ? Integer.parseInt(epoch.group(1)) : 0,
                urls,
                self.replaceFirst(""));
    }

    /**
     * All members of the cluster of a node, with the given URL for the node itself; empty if the
     * node does not answer.
     *
     * @throws CommandFailure if it names more members than a cluster can have
     */
    static List<Node> members(Node node, int timeoutMillis) throws CommandFailure {
        String page;
        try {
            Node.Answer answer = node.ask("GET", "/v0/ring", timeoutMillis);
            page = answer.status() == 200 ? answer.text() : "";
        } catch (IOException e) {
            return List.of();
        }
        try {
            RingPage ring = parse(page);
            return ring == null ? List.of() : ring.nodes(node);
        } catch (IllegalArgumentException e) {
            return List.of();
        } catch (IOException e) {
            throw CommandFailure.unavailable(
                    "The answer of " + node.url() + " is not used: " + Node.reason(e) + ".");
        }
    }

    private List<Node> nodes(Node given) {
        return members().stream()
                .map(name -> name.equals(self) ? given : given.peer("" + urls.get(name)))
                .toList();
    }
}
