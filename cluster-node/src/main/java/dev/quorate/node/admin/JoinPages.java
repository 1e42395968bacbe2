package dev.quorate.node.admin;

import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.config.Secret;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The page {@code /v0/join}, on which a new node reads the ring and asks to become a member, {@code
 * /admin/invite}, which makes a token for that, and {@code /admin/secret}, which shows fingerprints
 * of the secrets that this node knows.
 *
 * <p>The page for joining needs no access token. The header {@value #SEAL} shows that the sender
 * knows the cluster's secret. A sealed request to become a member names the epoch that it is based
 * on, so a recorded one changes nothing later; a recorded one without a name shows the ring.
 *
 * <p>An invitation lets one new member of a name join, within an hour, at the node that made it: it
 * is in memory alone.
 */
public final class JoinPages {

    private static final String SEAL = "join-seal";
    private static final long VALID_NANOS = Duration.ofHours(1).toNanos();
    private static final int INVITATION_BYTES = 32;
    private static final String BEARER = "Bearer ";

    private record Invitation(String token, long endsNanos) {}

    private final MemberPages members;
    private final @Nullable Supplier<Secret> secret;
    private final boolean needsInvitation;
    private final String self;
    private final Ticker ticker;
    private final RandomGenerator random;

    /** By the name of the member; guarded by this. */
    private final Map<String, Invitation> invitations = new HashMap<>();

    /**
     * @param secret the cluster's secret; null in a cluster of one without a secret, which no node
     *     joins
     * @param self the name of this node
     * @param random cryptographically strong
     */
    public JoinPages(
            MemberPages members,
            @Nullable Supplier<Secret> secret,
            boolean needsInvitation,
            String self,
            Ticker ticker,
            RandomGenerator random) {
        this.members = members;
        this.secret = secret;
        this.needsInvitation = needsInvitation;
        this.self = self;
        this.ticker = ticker;
        this.random = random;
    }

    /** Adds the pages to those of the node, among which the ring is already. */
    public void addTo(Map<Route, PageHandler> pages) {
        PageHandler ring = pages.get(Route.RING);
        pages.put(Route.JOIN, (request, exchange) -> join(request, exchange, ring));
        pages.put(Route.INVITE, this::invite);
        pages.put(
                Route.SECRET,
                (_, exchange) -> exchange.respond(HttpResponse.text(200, fingerprints())));
    }

    /** The first fingerprint is that of the secret with which this node seals. */
    private String fingerprints() {
        List<String> all = secret == null ? List.of() : secret.get().fingerprints();
        return self + " " + String.join(" ", all) + "\n";
    }

    private void join(PageRequest request, HttpExchange exchange, @Nullable PageHandler ring)
            throws RequestRefusedException {
        String query = request.request().query();
        String epoch = request.header("if-match");
        String shown = request.header(SEAL);
        if (secret == null
                || !secret.get().isSealOfJoin(shown, epoch, query == null ? "" : query)) {
            throw MemberChange.refused(
                    403, "The node that asks has another secret, or another version of Quorate.");
        }
        String name = request.optional("name");
        if (name == null && ring != null) {
            ring.answer(request, exchange);
            return;
        }
        Topology current = members.requireEpoch(request);
        MemberChange asked = MemberChange.joining(request);
        requireInvitation(String.valueOf(name), request.header("authorization"));
        exchange.beforeAnswer(
                response -> {
                    if (response.status() == 200) {
                        forget(String.valueOf(name));
                    }
                    return response;
                });
        members.propose(asked, current, request, exchange);
    }

    private synchronized void requireInvitation(String name, String authorization)
            throws RequestRefusedException {
        if (!needsInvitation) {
            return;
        }
        Invitation invitation = invitations.get(name);
        boolean isValid =
                invitation != null
                        && invitation.endsNanos() - ticker.nanos() > 0
                        && isSame(BEARER + invitation.token(), authorization);
        if (!isValid) {
            throw MemberChange.refused(
                    403,
                    "A node joins this cluster with a token of ./quorate member invite, which is for"
                            + " one name, once, within an hour, and until the node that made it"
                            + " restarts.");
        }
    }

    /** Compares in constant time. */
    private static boolean isSame(String expected, String shown) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.UTF_8), shown.getBytes(StandardCharsets.UTF_8));
    }

    private synchronized void forget(String name) {
        invitations.remove(name);
    }

    private void invite(PageRequest request, HttpExchange exchange) throws RequestRefusedException {
        String name = request.required("name", "the name of the member that is to join");
        byte[] secret = new byte[INVITATION_BYTES];
        random.nextBytes(secret);
        String token = self + "." + HexFormat.of().formatHex(secret);
        long now = ticker.nanos();
        synchronized (this) {
            invitations.values().removeIf(each -> each.endsNanos() - now <= 0);
            if (invitations.size() >= Topology.MAX_MEMBERS) {
                throw MemberChange.refused(429, "Too many invitations are open.");
            }
            invitations.put(name, new Invitation(token, now + VALID_NANOS));
        }
        exchange.respond(HttpResponse.text(200, token + "\n"));
    }
}
