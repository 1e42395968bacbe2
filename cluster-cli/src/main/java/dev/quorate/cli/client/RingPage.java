package dev.quorate.cli.client;

import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.NodeAccess;
import java.io.IOException;
import java.util.ArrayList;
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
 * @param urls the members' URLs among themselves, by their names
 * @param placement what determines the owners of keys, as text that is the same at each member
 */
public record RingPage(String self, Map<String, String> urls, String placement) {

    /** A member's name. It becomes a part of paths, so nothing else is taken for one. */
    public static final String NAME = "[a-z0-9][a-z0-9-]{0,62}";

    private static final Pattern SELF = Pattern.compile("\"self\":\"(" + NAME + ")\",?");
    private static final Pattern MEMBER =
            Pattern.compile("\"name\":\"(" + NAME + ")\"(?:,\"url\":\"([^\"\\\\]*)\")?");

    public RingPage {
        urls = Map.copyOf(urls);
    }

    /** The names of all members, in their order. */
    public List<String> members() {
        return urls.keySet().stream().sorted().toList();
    }

    /**
     * Reads the page; null if it is not one.
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
        return new RingPage(self.group(1), urls, self.replaceFirst(""));
    }

    /**
     * All members of the cluster of a node, the node itself under the URL that the user gave; empty
     * if it does not answer.
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
        } catch (NodeAccess.InvalidException e) {
            return List.of();
        } catch (IOException e) {
            throw CommandFailure.unavailable(
                    "The answer of " + node.url() + " is not used: " + Node.reason(e) + ".");
        }
    }

    private List<Node> nodes(Node given) throws NodeAccess.InvalidException {
        List<Node> nodes = new ArrayList<>();
        for (String name : members()) {
            // The members' own URLs are those of http, also where clients use TLS.
            String url = String.valueOf(urls.get(name));
            String scheme = given.uri().getScheme();
            nodes.add(
                    name.equals(self)
                            ? given
                            : Node.parse(
                                    url.replaceFirst("^https?:", scheme + ":"), given.access()));
        }
        return nodes;
    }
}
