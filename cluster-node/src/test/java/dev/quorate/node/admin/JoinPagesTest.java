package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.config.Secret;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.membership.Epochs.Result;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a new node asks to become a member. */
final class JoinPagesTest extends PagesOfANode {

    private static final String QUERY = "name=n4&url=http://d:81&zone=b&weight=150&free=1000000000";

    private final Secret secret = new Secret("a-long-enough-secret");
    private final ManualTime time = new ManualTime(1_700_000_000_000L);
    private final List<Topology> proposed = new ArrayList<>();
    private Function<Topology, Result> result = Result.Chosen::new;
    private final Map<Route, PageHandler> pages = new EnumMap<>(Route.class);

    @BeforeEach
    void found() {
        topology = topology.in(new UUID(1, 2));
        serve(false);
    }

    private void serve(boolean needsInvitation) {
        pages.clear();
        new NodePages(view(), Runnable::run).addTo(pages, requests, Runnable::run);
        MemberPages members =
                new MemberPages(
                        view(),
                        (next, patience, whenDecided) -> {
                            proposed.add(next);
                            whenDecided.accept(result.apply(next));
                        },
                        Runnable::run);
        new JoinPages(members, () -> secret, needsInvitation, "n1", time, new Random(3))
                .addTo(pages);
    }

    private HttpResponse post(Route route, @Nullable String query, Map<String, String> headers) {
        HttpRequest request =
                new HttpRequest("POST", route.path(), query, headers::get, new byte[0]);
        UnaryOperator<HttpResponse>[] change = changes();
        Answer answer =
                new Answer() {
                    @Override
                    public void beforeAnswer(UnaryOperator<HttpResponse> next) {
                        change[0] = next;
                    }
                };
        try {
            pages.get(route).answer(PageRequest.of(route, request, () -> true), answer);
        } catch (RequestRefusedException e) {
            answer.respond(e.response());
        }
        assertThat(answer.responses).as("exactly one answer").hasSize(1);
        return change[0].apply(answer.responses.getFirst());
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static UnaryOperator<HttpResponse>[] changes() {
        return new UnaryOperator[] {UnaryOperator.<HttpResponse>identity()};
    }

    private Map<String, String> sealed(String epoch, @Nullable String query) {
        String seal = secret.sealOfJoin(epoch, query == null ? "" : query);
        return new HashMap<>(Map.of("if-match", epoch, Secret.JOIN_SEAL, seal));
    }

    private HttpResponse join(String query) {
        return post(Route.JOIN, query, sealed("\"1\"", query));
    }

    @Test
    void theSecretSuffices() {
        HttpResponse page = join(QUERY);
        assertThat(page.status()).as(text(page)).isEqualTo(200);
        assertThat(proposed).hasSize(1);
        assertThat(proposed.getFirst().toString()).contains("+n4@2/b*1.50=http://d:81");
        assertThat(text(post(Route.JOIN, null, sealed("*", null))))
                .contains("\"members\":[", "http://a:8080");
    }

    /** A stranger learns and changes nothing; and what one has recorded is of one epoch. */
    @Test
    void withoutTheSealNothingIsDone() {
        Map<String, String> sealed = sealed("\"1\"", QUERY);
        for (String other : new String[] {QUERY.replace("n4", "n5"), null, ""}) {
            assertThat(post(Route.JOIN, other, sealed).status()).as("" + other).isEqualTo(403);
        }
        assertThat(post(Route.JOIN, QUERY, Map.of("if-match", "\"1\"")).status()).isEqualTo(403);
        Map<String, String> other = new HashMap<>(sealed);
        other.put("if-match", "\"2\"");
        assertThat(post(Route.JOIN, QUERY, other).status()).isEqualTo(403);
        topology = topology.next(topology.members(), 2).completed();
        assertThat(post(Route.JOIN, QUERY, sealed).status()).isEqualTo(412);
        assertThat(post(Route.JOIN, QUERY, sealed("*", QUERY)).status()).isEqualTo(428);
        assertThat(proposed).isEmpty();
    }

    @Test
    void aNodeThatDoesNotFitIsRefused() {
        Map<String, String> refused =
                Map.of(
                        "name=n2&url=http://d:81&weight=100&free=1", "already",
                        "name=n4&url=http://a:8080&weight=100&free=1", "address",
                        "name=N4&url=http://d:81&weight=100&free=1", "name",
                        "name=n4&url=d&weight=100&free=1", "address",
                        "name=n4&weight=100&free=1", "too little",
                        "name=n4&url=http://d:81&zone=B&weight=100&free=1", "zone",
                        "name=n4&url=http://d:81&weight=9999&free=1", "weight");
        refused.forEach(
                (query, why) -> {
                    HttpResponse page = join(query);
                    assertThat(page.status()).as(query).isEqualTo(422);
                    assertThat(text(page)).as(query).containsIgnoringCase(why);
                });
        assertThat(join("name=n4&url=http://d:81&weight=x").status()).isEqualTo(400);
        assertThat(proposed).isEmpty();
    }

    private String invite(String name) {
        HttpResponse page = post(Route.INVITE, "name=" + name, Map.of());
        assertThat(page.status()).isEqualTo(200);
        return text(page).strip();
    }

    private HttpResponse joinWith(@Nullable String token) {
        Map<String, String> headers = sealed("\"1\"", QUERY);
        if (token != null) {
            headers.put("authorization", "Bearer " + token);
        }
        return post(Route.JOIN, QUERY, headers);
    }

    @Test
    void anInvitationIsForOneNameAndOnce() {
        serve(true);
        String other = invite("n5");
        String token = invite("n4");
        assertThat(token).matches("n1\\.[0-9a-f]{64}").isNotEqualTo(other);
        for (String wrong : new String[] {null, other, token + "0", ""}) {
            HttpResponse page = joinWith(wrong);
            assertThat(page.status()).as("" + wrong).isEqualTo(403);
            assertThat(text(page)).contains("./quorate member invite", "Nothing was changed.");
        }
        result = Result.Lost::new;
        assertThat(joinWith(token).status()).as("it is not used up by a failure").isEqualTo(409);
        result = Result.Chosen::new;
        assertThat(joinWith(token).status()).isEqualTo(200);
        assertThat(joinWith(token).status()).as("once").isEqualTo(403);
        assertThat(proposed).hasSize(2);
    }

    @Test
    void anInvitationEnds() {
        serve(true);
        String token = invite("n4");
        time.advance(Duration.ofMinutes(61));
        assertThat(joinWith(token).status()).isEqualTo(403);
        for (int i = 0; i < Topology.MAX_MEMBERS; i++) {
            invite("m" + i);
        }
        HttpResponse page = post(Route.INVITE, "name=n9", Map.of());
        assertThat(page.status()).as("the number is limited").isEqualTo(429);
        time.advance(Duration.ofMinutes(61));
        invite("n9");
    }
}
