package dev.quorate.node.peer;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.token.Token;
import dev.quorate.router.topology.LiveTopology;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a replica logs of the requests of its peers. */
final class SlowRequestsTest {

    private static final byte[] KEY = "secret-name".getBytes(StandardCharsets.US_ASCII);
    private static final TraceParent TRACE = new TraceParent(1, 2, 3, 0);
    private static final int N2 = Objects.requireNonNull(Pair.TOPOLOGY.member("n2")).number();

    private final ManualTime time = new ManualTime();
    private final Logger logger = (Logger) LoggerFactory.getLogger("operations");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
    }

    private SlowRequests from(long millis) {
        return new SlowRequests(Duration.ofMillis(millis), new LiveTopology(Pair.TOPOLOGY), time);
    }

    private List<String> logged() {
        return lines.list.stream()
                .map(
                        event ->
                                event.getKeyValuePairs().stream()
                                        .map(pair -> pair.key + "=" + pair.value)
                                        .collect(Collectors.joining(" ")))
                .toList();
    }

    private void answered(SlowRequests requests, ReplicaRequest request, long afterMillis) {
        long begun = time.nanos();
        time.advanceMillis(afterMillis);
        requests.answered(N2, request, begun);
    }

    @Test
    void aSlowOneIsLoggedWithItsTraceAndWithoutItsKey() {
        SlowRequests requests = from(500);
        answered(requests, new ReplicaRequest.Traced(TRACE, new ReplicaRequest.Read(KEY)), 500);
        answered(requests, new ReplicaRequest.Read(KEY), 600);
        String token = Token.ofKey(KEY).toString();
        assertThat(logged())
                .containsExactly(
                        "op=read peer=n2 millis=500 token=" + token + " trace=" + TRACE.id(),
                        "op=read peer=n2 millis=600 token=" + token);
    }

    @Test
    void aPageOfAClientsRangeIsLogged() {
        ReplicaRequest page = new ReplicaRequest.ScanPage(KEY, null, 100);
        answered(from(500), new ReplicaRequest.Traced(TRACE, page), 700);
        assertThat(logged()).containsExactly("op=range peer=n2 millis=700 trace=" + TRACE.id());
    }

    @Test
    void quickOnesAndBackgroundWorkAreNot() {
        answered(from(500), new ReplicaRequest.Read(KEY), 499);
        answered(from(500), new ReplicaRequest.ScanPage(KEY, null, 100), 5_000);
        answered(from(0), new ReplicaRequest.Read(KEY), 5_000);
        assertThat(logged()).isEmpty();
    }

    @Test
    void linesAreFew() {
        SlowRequests requests = from(500);
        long begun = time.nanos();
        time.advanceMillis(500);
        for (int i = 0; i < 30; i++) {
            requests.answered(N2, new ReplicaRequest.Read(KEY), begun);
        }
        assertThat(logged()).hasSize(10);
        time.advanceMillis(1_000);
        requests.answered(N2, new ReplicaRequest.Read(KEY), begun);
        assertThat(logged().getLast()).endsWith(" omitted=20");
    }
}
