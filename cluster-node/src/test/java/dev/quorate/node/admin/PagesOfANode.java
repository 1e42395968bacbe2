package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.AcceptedLoss;
import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.connection.HttpListener;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.node.membership.Membership;
import dev.quorate.node.membership.Past;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.DurationCounts;
import dev.quorate.router.runtime.DurationHistogram;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.LogTimes;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Figures.Figure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** A test with the pages of a node, whose figures it chooses. */
abstract class PagesOfANode {

    static final Executor AT_ONCE = Runnable::run;
    private static final List<Figure> REGISTERED = RegisteredFigures.all();

    static final long RESERVED = 64 << 20;
    static final String FREE_DISK = "disk_free_bytes";
    static final String REFUSED = "requests_rejected listener client reason queue";

    final Ring ring =
            new Ring(Topology.parse("n1=http://a:8080,n2=http://b:8080,n3=http://c:8080"));

    /** The topology that the node uses. */
    Topology topology = ring.topology();

    final RequestMetrics requests = new RequestMetrics();

    /** What the node has announced: whether it is about to stop. */
    final List<Boolean> stops = new ArrayList<>();

    final Drain drain = new Drain(stops::add);

    /** Values of figures, by name and labels; others are 0. */
    final Map<String, Double> values =
            new HashMap<>(
                    Map.of(
                            FREE_DISK,
                            0x1p40,
                            REFUSED,
                            5.0,
                            "writes",
                            105.0,
                            "damaged_ranges",
                            127.0,
                            "quorum_failures op read",
                            3.0,
                            "quorum_failures op write",
                            4.0));

    List<PeerHealth> peers =
            List.of(
                    peer("n2", PeerStanding.UP, ""),
                    peer("n3", PeerStanding.DOWN, "connection refused"));
    HandoffStatistics hints =
            new HandoffStatistics(
                    List.of(new HandoffStatistics.OfTarget("n3", 801, 802, 803)),
                    Map.of("limit", 804L));
    Map<String, HttpListener> listeners = Map.of();
    final EventLog events = new EventLog(new ManualTime(1_700_000_000_000L));
    Membership membership = membership(Condition.WHOLE);

    @Nullable AcceptedLoss loss;
    final AtomicLong repairsBegun = new AtomicLong();
    Repairs.Status repairs =
            new Repairs.Status(
                    3,
                    true,
                    List.of(
                            new PeerRepairStatus(
                                    "n2",
                                    PeerRepairStatus.Phase.INCOMPLETE,
                                    "2 ranges cannot be read",
                                    1_000,
                                    12,
                                    7,
                                    5,
                                    0,
                                    2,
                                    4_096,
                                    1_500_000_000L,
                                    0,
                                    90.5,
                                    new PeerRepairStatus.Totals(17, 15, 14_096))));

    /** What an inquiry finds; null if there are too many. */
    @Nullable KeyReport report;

    boolean inquire(byte[] key, Consumer<KeyReport> done) {
        KeyReport found = report;
        if (found == null) {
            return false;
        }
        assertThat(key).isEqualTo(found.key());
        done.accept(found);
        return true;
    }

    static PeerHealth peer(String name, PeerStanding standing, String lastError) {
        return new PeerHealth(
                name,
                standing,
                1_700_000_000_000L,
                lastError,
                true,
                4,
                500,
                60,
                700,
                -250,
                DurationCounts.NONE,
                DurationCounts.NONE);
    }

    static PeerHealth withTimes(PeerHealth peer, DurationCounts times) {
        return new PeerHealth(
                peer.member(),
                peer.standing(),
                peer.sinceMillis(),
                peer.lastError(),
                peer.asked(),
                peer.outstandingOperations(),
                peer.outstandingBytes(),
                peer.exchanges(),
                peer.operations(),
                peer.clockAheadMillis(),
                times,
                times);
    }

    /** Of the log's fsyncs, and of the waits for it. */
    final DurationHistogram log = new DurationHistogram();

    int voters = 2;

    Membership membership(Condition condition) {
        return new Membership(
                new LiveTopology(ring.topology()),
                ring.topology().members().getFirst(),
                new Past(condition, false, 0, List.of(), 0),
                1,
                Duration.ZERO,
                SystemTicker.INSTANCE,
                () -> 0);
    }

    NodeView view() {
        return new NodeView(
                ring.topology().members().getFirst(),
                () -> Placement.of(topology, ring),
                "1.2.3",
                "native epoll",
                "3 tables and 17 entries of the log",
                RESERVED,
                drain,
                figures(),
                () -> new LogTimes(log.counts(), log.counts()),
                membership,
                () -> voters,
                () -> peers,
                () -> hints,
                () -> repairs,
                () -> repairsBegun.incrementAndGet(),
                () -> loss,
                name -> loss != null && loss.name().equals(name),
                this::inquire,
                () -> listeners,
                events);
    }

    Map<Route, PageHandler> pages(Executor background) {
        Map<Route, PageHandler> pages = new EnumMap<>(Route.class);
        new NodePages(view(), background).addTo(pages, requests, background);
        return pages;
    }

    /** What a real store and coordinator register, with the values that the test chooses. */
    Figures figures() {
        Figures figures = new Figures();
        for (Figure each : REGISTERED) {
            String name = each.fullName();
            String[] labels = each.labels().toArray(String[]::new);
            DoubleSupplier value = () -> values.getOrDefault(name, 0.0);
            if (each.isCounter()) {
                figures.counter(each.name(), each.help(), value, labels);
            } else {
                figures.gauge(each.name(), each.help(), value, labels);
            }
        }
        return figures;
    }

    /** Keeps the one answer. */
    static class Answer implements HttpExchange {

        final List<HttpResponse> responses = new ArrayList<>();

        @Override
        public void respond(HttpResponse response) {
            responses.add(response);
        }

        @Override
        public void stream(HttpResponse head, StreamSource source) {
            throw new AssertionError("pages are not streamed");
        }
    }

    HttpResponse get(String path, Executor background) {
        return ask("GET", path, null, "", background);
    }

    HttpResponse ask(
            String method,
            String path,
            @Nullable String query,
            String accept,
            Executor background) {
        HttpHeaders headers = name -> name.equals("accept") ? accept : null;
        HttpRequest request = new HttpRequest(method, path, query, headers, new byte[0]);
        Route route =
                Arrays.stream(Route.values())
                        .filter(each -> each.path().equals(path))
                        .findAny()
                        .orElseThrow();
        Answer answer = new Answer();
        try {
            pages(background).get(route).answer(PageRequest.of(route, request, () -> true), answer);
        } catch (RequestRefusedException e) {
            throw new AssertionError(path + " was refused", e);
        }
        assertThat(answer.responses).as("exactly one answer").hasSize(1);
        return answer.responses.getFirst();
    }

    static String text(HttpResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }
}
