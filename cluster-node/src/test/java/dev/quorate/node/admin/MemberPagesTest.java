package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.membership.ChangeRule;
import dev.quorate.node.membership.Epochs.Result;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of the members and their change, without other nodes. */
final class MemberPagesTest extends PagesOfANode {

    private static final UUID CLUSTER = new UUID(1, 2);
    private static final String JOIN = "{\"add\":[{\"name\":\"n4\",\"url\":\"http://d:81\"}]}";
    private static final String MOVE = "{\"set\":[{\"name\":\"n2\",\"url\":\"http://D:81\"}]}";

    /** The result of a change, of the proposed topology. */
    private Function<Topology, Result> result = next -> new Result.Undecided();

    private int changes;
    private Topology proposed;
    private boolean isHandled;
    private final List<Runnable> later = new ArrayList<>();

    @BeforeEach
    void found() {
        topology = topology.in(CLUSTER);
    }

    private HttpResponse ask(String method, Map<String, String> headers, String body) {
        Map<Route, PageHandler> pages = new EnumMap<>(Route.class);
        new MemberPages(
                        view(),
                        (next, patience, whenDecided) -> {
                            changes++;
                            proposed = next;
                            later.add(() -> whenDecided.accept(result.apply(next)));
                        },
                        later::add)
                .addTo(pages);
        HttpHeaders all =
                name -> {
                    assertThat(isHandled).as("headers are readable until it is handled").isFalse();
                    return headers.get(name);
                };
        isHandled = false;
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        HttpRequest request = new HttpRequest(method, "/admin/members", null, all, bytes);
        Answer answer = new Answer();
        try {
            pages.get(Route.MEMBERS)
                    .answer(PageRequest.of(Route.MEMBERS, request, () -> true), answer);
        } catch (RequestRefusedException e) {
            answer.respond(e.response());
        }
        isHandled = true;
        while (!later.isEmpty()) {
            later.removeFirst().run();
        }
        assertThat(answer.responses).as("exactly one answer").hasSize(1);
        return answer.responses.getFirst();
    }

    private HttpResponse post(String body) {
        return ask("POST", Map.of("if-match", "\"1\""), body);
    }

    @Test
    void theMembersAreShown() {
        HttpResponse page = ask("GET", Map.of(), "");
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.headers())
                .contains("ETag: \"1\"", "Content-Type: application/json", "Vary: Accept");
        assertThat(text(page))
                .isEqualTo(
                        ("{'cluster':'" + CLUSTER + "','epoch':1,'members':[")
                                .concat(
                                        "{'name':'n1','url':'http://a:8080','since':1,'part':'stays','epoch':1,"
                                                + "'clean':true,"
                                                + "'standing':'self'},")
                                .concat(
                                        "{'name':'n2','url':'http://b:8080','since':1,'part':'stays',"
                                                + "'standing':'up'},")
                                .concat(
                                        "{'name':'n3','url':'http://c:8080','since':1,'part':'stays',"
                                                + "'standing':'down'}],'replication':3}\n")
                                .replace('\'', '"'));
        String people = text(ask("GET", Map.of("accept", "text/plain"), ""));
        assertThat(people).startsWith("cluster " + CLUSTER + ", epoch 1, 3 copies\nNAME ");
        assertThat(people.lines().skip(2))
                .extracting(line -> line.replaceAll(" +", " "))
                .containsExactly(
                        "n1 http://a:8080 1 1 stays self",
                        "n2 http://b:8080 1 - stays up",
                        "n3 http://c:8080 1 - stays down");
    }

    @Test
    void aChosenChangeIsShown() {
        result = Result.Chosen::new;
        HttpResponse page = post(MOVE);
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.headers()).contains("ETag: \"2\"");
        assertThat(text(page)).contains("\"epoch\":2,", "\"url\":\"http://d:81\"");
        assertThat(changes).isOne();
    }

    @Test
    void aDryRunShowsWhatWouldBeProposedAndDoesNothing() {
        HttpResponse page = post(MOVE.replace("}]}", "}],\"dryRun\":true}"));
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.headers()).doesNotContain("ETag: \"2\"");
        assertThat(text(page)).contains("\"epoch\":2,\"dryRun\":true", "\"url\":\"http://d:81\"");
        assertThat(changes).isZero();
    }

    @Test
    void theSameAddressIsNoChange() {
        HttpResponse page = post(MOVE.replace("D:81", "B:8080"));
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.headers()).contains("ETag: \"1\"");
        assertThat(changes).isZero();
    }

    @Test
    void whoLosesLearnsWhatWon() {
        Topology winner =
                topology.next(
                        topology.members().stream()
                                .map(
                                        m ->
                                                m.name().equals("n3")
                                                        ? m.at(URI.create("http://e:1"))
                                                        : m)
                                .toList());
        result = next -> new Result.Lost(winner);
        HttpResponse won = post(MOVE);
        assertThat(won.status()).isEqualTo(409);
        assertThat(text(won)).contains("epoch 2", "n2 is at http://b:8080");
        result = next -> new Result.Lost(topology);
        HttpResponse inProgress = post(MOVE);
        assertThat(inProgress.status()).isEqualTo(409);
        assertThat(text(inProgress)).contains("Another change to epoch 2 is in progress");
    }

    @Test
    void anUndecidedChangeMayStillBeMade() {
        HttpResponse page = post(MOVE);
        assertThat(page.status()).isEqualTo(503);
        assertThat(page.headers()).contains("Retry-After: 5");
        assertThat(text(page))
                .contains(
                        "Too few members have answered within 5 s; the change may still be made:"
                                + " see GET /admin/members.");
    }

    @Test
    void membersJoinAndLeave() {
        result = Result.Chosen::new;
        HttpResponse page = post(JOIN.replace("}]}", "}],\"remove\":[\"n2\"]}"));
        assertThat(page.status()).as(text(page)).isEqualTo(200);
        assertThat(text(page))
                .contains(
                        "\"epoch\":2,\"joint\":true,",
                        "\"name\":\"n2\",\"url\":\"http://b:8080\",\"since\":1,\"part\":\"leaves\"",
                        "\"name\":\"n4\",\"url\":\"http://d:81\",\"since\":2,\"part\":\"joins\"",
                        "\"waits\":[\"n3, which does not answer\",");
        assertThat(changes).isOne();
    }

    @Test
    void lostMembersAreReplaced() {
        result = Result.Chosen::new;
        HttpResponse answers = post("{\"lost\":[\"n2\"]}".replace("}", "," + JOIN.substring(1)));
        assertThat(answers.status()).isEqualTo(422);
        assertThat(text(answers)).contains("'n2' answers, so it is not lost: remove it.");
        String lost = "{\"lost\":[\"n3\"]," + JOIN.substring(1);
        assertThat(text(post(lost)))
                .contains("\"url\":\"http://c:8080\",\"since\":1,\"part\":\"lost\"")
                .doesNotContain("\"n3, ");
        assertThat(changes).isOne();
        String two = lost.replace("[\"n3\"]", "[\"n1\",\"n3\"]");
        assertThat(text(post(two))).contains("may be on the lost members alone");
        assertThat(text(post(two.replace("{\"lost", "{\"acceptLoss\":true,\"lost"))))
                .contains("2 members are too few");
        assertThat(changes).isOne();
    }

    @Test
    void membersGetZonesAndWeights() {
        result = Result.Chosen::new;
        HttpResponse page =
                post(
                        "{\"set\":[{\"name\":\"n2\",\"zone\":\"b\"}],\"add\":[{\"name\":\"n4\",\"url\":"
                                + "\"http://d:81\",\"zone\":\"c\",\"weight\":1.5}]}");
        assertThat(page.status()).as(text(page)).isEqualTo(200);
        assertThat(text(page))
                .contains(
                        "\"part\":\"stays\",\"zone\":\"b\",",
                        "\"zone\":\"c\",\"weightPercent\":150,");
        assertThat(proposed.toString()).contains(",n2>/b=http://b:8080,", ",+n4@2/c*1.50=http://d");
        topology = proposed.completed();
        assertThat(text(ask("GET", Map.of("accept", "text/plain"), "")))
                .contains(" up /b\n", " unknown /c*1.50\n");
        HttpResponse same =
                ask(
                        "POST",
                        Map.of("if-match", "\"3\""),
                        "{\"set\":[{\"name\":\"n4\",\"weight\":1.5}]}");
        assertThat(same.status()).as(text(same)).isEqualTo(200);
        assertThat(changes).as("the same weight is no change").isOne();
    }

    @Test
    void aDryRunShowsWhatTheChangeWouldWaitFor() {
        HttpResponse page =
                ask(
                        "POST",
                        Map.of("if-match", "\"1\"", "accept", "text/plain"),
                        JOIN.replace("}]}", "}],\"dryRun\":true}"));
        assertThat(text(page))
                .contains(
                        "epoch 2, 3 copies (proposed; nothing was done)",
                        "Meanwhile an operation needs its quorum among the old owners",
                        "About 0 MiB move from n1 to n4.")
                .endsWith(
                        """
                        The change waits for n3, which does not answer.
                        The change waits for n4, which does not answer.
                        """);
        assertThat(changes).isZero();
    }

    /** A member's state, with these bytes on its disk and room for as many. */
    private void announced(
            String name, int epoch, long bytes, long room, long gained, long toGain) {
        membership.onState(
                topology.member(name).number(),
                new MemberState(
                        7,
                        epoch,
                        0,
                        0,
                        Condition.WHOLE,
                        bytes,
                        room,
                        gained,
                        toGain,
                        1,
                        0,
                        0,
                        0,
                        0,
                        List.of(),
                        List.of(),
                        MemberState.Load.NONE));
    }

    @Test
    void aDryRunEstimatesTheBytesThatMove() {
        announced("n2", 1, 300 << 20, 1 << 30, 0, 0);
        announced("n3", 1, 300 << 20, 1 << 30, 0, 0);
        String page = text(post(JOIN.replace("}]}", "}],\"dryRun\":true}")));
        // All keys have about 200 MiB, the new member gets 3/4 of them, from each a third.
        for (String source : List.of("n1", "n2", "n3")) {
            Matcher moves =
                    Pattern.compile(
                                    "\\{\"from\":\""
                                            + source
                                            + "\",\"to\":\"n4\",\"bytes\":(\\d+)}")
                            .matcher(page);
            assertThat(moves.find()).as(page).isTrue();
            assertThat(Long.parseLong(moves.group(1))).isBetween(40L << 20, 60L << 20);
        }
    }

    @Test
    void aChangeNeedsRoom() {
        result = Result.Chosen::new;
        announced("n2", 1, 300 << 20, 10 << 20, 0, 0);
        announced("n3", 1, 300 << 20, 10 << 20, 0, 0);
        String remove = "{\"replication\":2,\"remove\":[\"n3\"]}";
        assertThat(post(remove).status()).as("n2 has all keys").isEqualTo(200);
        topology = topology.next(topology.members(), 2).completed();
        Function<String, HttpResponse> ask = body -> ask("POST", Map.of("if-match", "\"3\""), body);
        HttpResponse full = ask.apply("{\"replication\":3}");
        assertThat(full.status()).isEqualTo(422);
        assertThat(text(full))
                .contains("and has room for 10 MiB: free disk there, or accept it with");
        assertThat(ask.apply("{\"replication\":3,\"ignoreRoom\":true}").status()).isEqualTo(200);
        HttpResponse joiner = ask.apply(JOIN.replace("}]}", ",\"free\":1000}]}"));
        assertThat(joiner.status()).isEqualTo(422);
        assertThat(text(joiner)).contains("'n4' gets about ", " and has room for 1 MiB");
        assertThat(ask.apply(JOIN).status()).as("room is not known").isEqualTo(200);
        assertThat(changes).isEqualTo(3);
    }

    @Test
    void theProgressOfAMemberIsShown() {
        topology = topology.next(topology.members(), 2).completed();
        topology = topology.next(topology.members(), 3);
        announced("n2", 4, 300 << 20, 1 << 30, 50 << 20, 100 << 20);
        String page = text(ask("GET", Map.of("accept", "text/plain"), ""));
        assertThat(page)
                .contains("waits for n2, which has 50 MiB of about 100 MiB of its keys.\n")
                .contains("waits for n1, which does not have all of its keys yet.\n");
        announced("n2", 4, 300 << 20, 1 << 20, 50 << 20, 100 << 20);
        assertThat(text(ask("GET", Map.of("accept", "text/plain"), "")))
                .contains("of its keys, and room for only 1 MiB.\n");
        assertThat(text(ask("GET", Map.of(), "")))
                .contains("\"gainedBytes\":52428800,\"toGainBytes\":104857600,");
    }

    @Test
    void aChangeIsCancelled() {
        result = Result.Chosen::new;
        topology =
                ChangeRule.withMembers(
                        topology,
                        Map.of("n4", URI.create("http://d:81")),
                        Set.of(),
                        Set.of(),
                        Map.of(),
                        0);
        HttpResponse another = ask("POST", Map.of("if-match", "\"2\""), JOIN);
        assertThat(another.status()).isEqualTo(409);
        assertThat(text(another)).contains("Another change of members is in progress");
        HttpResponse page = ask("POST", Map.of("if-match", "\"2\""), "{\"cancel\":true}");
        assertThat(page.status()).as(text(page)).isEqualTo(200);
        assertThat(text(page)).contains("\"epoch\":3,").doesNotContain("n4", "joint", "waits");
    }

    @Test
    void theEpochMustBeNamed() {
        assertThat(ask("POST", Map.of(), MOVE).status()).isEqualTo(428);
        assertThat(ask("POST", Map.of("if-match", "*"), MOVE).status()).isEqualTo(428);
        for (String other : new String[] {"\"2\"", "1", "W/\"1\"", "\"1\", \"2\""}) {
            HttpResponse page = ask("POST", Map.of("if-match", other), MOVE);
            assertThat(page.status()).as(other).isEqualTo(412);
            assertThat(page.headers()).contains("ETag: \"1\"");
            assertThat(text(page)).contains("in epoch 1");
        }
        topology = ring.topology();
        assertThat(ask("POST", Map.of("if-match", "\"0\""), MOVE).status()).isEqualTo(503);
        assertThat(changes).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``                                                             | 400",
                "{\"set\":                                                      | 400",
                "{'set':[]}                                                     | 400",
                "[]                                                             | 422",
                "{}                                                             | 422",
                "{\"dryRun\":true}                                              | 422",
                "{\"set\":[]}                                                   | 422",
                "{\"set\":{}}                                                   | 422",
                "{\"set\":[1]}                                                  | 422",
                "{\"set\":[{\"name\":\"n2\"}]}                                  | 422",
                "{\"set\":[{\"name\":\"n2\",\"name\":\"n2\",\"url\":\"http://d:1\"}]} | 422",
                "{\"set\":[{\"name\":null,\"url\":\"http://d:1\"}]}            | 422",
                "{\"set\":[{\"url\":\"http://d:1\"}]}                           | 422",
                "{\"set\":[{\"name\":\"n2\",\"url\":1}]}                        | 422",
                "{\"set\":[{\"name\":\"n2\",\"url\":\"http://d:1\",\"x\":1}]}   | 422",
                "{\"set\":[{\"name\":\"n9\",\"url\":\"http://d:1\"}]}           | 422",
                "{\"set\":[{\"name\":\"n2\",\"url\":\"http://d\"}]}             | 422",
                "{\"set\":[{\"name\":\"n2\",\"url\":\"http://d:1/x\"}]}         | 422",
                "{\"set\":[{\"name\":\"n2\",\"url\":\"a b\"}]}                  | 422",
                "{\"set\":[{\"name\":\"n2\",\"url\":\"http://a:8080\"}]}        | 422",
                "{\"set\":[],\"set\":[]}                                        | 422",
                "{\"dryRun\":1}                                                 | 422",
                "{\"zone\":1}                                                   | 422",
                "{\"set\":[{\"name\":\"n2\",\"url\":\"http://d:1\"}]} {}        | 400",
                "{\"add\":[]}                                                   | 422",
                "{\"add\":{}}                                                   | 422",
                "{\"add\":[{\"name\":\"n2\",\"url\":\"http://d:1\"}]}           | 422",
                "{\"add\":[{\"name\":\"n4\",\"url\":\"http://a:8080\"}]}        | 422",
                "{\"add\":[{\"name\":\"N4\",\"url\":\"http://d:1\"}]}           | 422",
                "{\"add\":[{\"name\":\"n4\",\"url\":\"http://d:1\"},{\"name\":\"n4\",\"url\":\"http://e:1\"}]} | 422",
                "{\"remove\":[]}                                                | 422",
                "{\"remove\":[1]}                                               | 422",
                "{\"remove\":[\"n9\"]}                                        | 422",
                "{\"remove\":[\"n2\",\"n2\"]}                               | 422",
                "{\"remove\":[\"n2\"]}                                        | 422",
                "{\"remove\":[\"n2\"],\"set\":[{\"name\":\"n2\",\"url\":\"http://d:1\"}]} | 422",
                "{\"set\":[{\"name\":\"n2\",\"weight\":9}]}                | 422",
                "{\"set\":[{\"name\":\"n2\",\"weight\":1e99}]}             | 422",
                "{\"set\":[{\"name\":\"n2\",\"weight\":\"2\"}]}           | 422",
                "{\"set\":[{\"name\":\"n2\",\"weight\":-1}]}               | 422",
                "{\"set\":[{\"name\":\"n2\",\"zone\":\"B\"}]}             | 422",
                "{\"set\":[{\"name\":\"n2\",\"zone\":1}]}                  | 422",
                "{\"set\":[{\"name\":\"n9\",\"zone\":\"b\"}]}             | 422",
                "{\"set\":[{\"name\":\"n2\",\"zone\":\"b\",\"url\":\"http://d:1\"}]} | 422",
                "{\"add\":[{\"name\":\"n4\",\"zone\":\"b\"}]}             | 422",
                "{\"cancel\":true}                                              | 422",
                "{\"cancel\":false}                                             | 422",
                "{\"cancel\":true,\"remove\":[\"n2\"]}                      | 422",
                "{\"replace\":{}}                                               | 422",
                "{\"replication\":0}                                            | 422",
                "{\"replication\":1.5}                                          | 422",
                "{\"replication\":9}                                            | 422",
            })
    void whatCannotBeDoneIsRefused(String body, int status) {
        HttpResponse page = post(body);
        assertThat(page.status()).as(text(page)).isEqualTo(status);
        assertThat(text(page)).contains("Nothing was changed.");
        assertThat(changes).isZero();
    }

    @Test
    void keysGetFewerCopies() {
        result = Result.Chosen::new;
        HttpResponse page = post("{\"replication\":2,\"remove\":[\"n2\"]}");
        assertThat(page.status()).as(text(page)).isEqualTo(200);
        assertThat(text(page)).contains("\"replication\":3,\"nextReplication\":2,");
        assertThat(changes).isOne();
    }

    @Test
    void aLongBodyIsRefused() {
        assertThat(post(MOVE + " ".repeat(1 << 16)).status()).isEqualTo(413);
    }
}
