package dev.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A client of a cluster whose members move to other addresses. */
final class MovedMemberTest {

    private static final Duration DEADLINE = Duration.ofSeconds(10);

    /** Changed by the test when a member moves. */
    private volatile String ring = "";

    private FakeNode node(String name) {
        return new FakeNode(
                (request, connection) ->
                        connection.send(
                                request.target().equals("/v0/ring")
                                        ? FakeNode.answer(200, "", ring.formatted(name))
                                        : FakeNode.value(name)));
    }

    private void setRing(int epoch, Map<String, FakeNode> nodes) {
        StringBuilder members = new StringBuilder();
        new TreeMap<>(nodes)
                .forEach(
                        (name, node) ->
                                members.append(members.isEmpty() ? "" : ",")
                                        .append("{\"name\":\"" + name + "\",\"url\":\"")
                                        .append(node.uri() + "\"}"));
        ring =
                "{\"self\":\"%s\",\"cluster\":\"c\",\"epoch\":"
                        + epoch
                        + ",\"replication\":2,\"virtualNodes\":64,\"members\":["
                        + members
                        + "]}";
    }

    @Test
    void aClientFollowsAMovedMemberWithoutAFailedOperation() throws Exception {
        FakeNode before = node("n2");
        try (Fakes fakes = new Fakes(DEADLINE, node("n1"), before);
                FakeNode after = node("n2")) {
            FakeNode stays = fakes.nodes.get(0);
            setRing(1, Map.of("n1", stays, "n2", before));
            for (int i = 0; i < 10; i++) {
                assertThat(fakes.client.get("key")).isPresent();
            }
            assertThat(after.seen()).isEmpty();
            setRing(2, Map.of("n1", stays, "n2", after));
            before.close();
            long end = System.nanoTime() + DEADLINE.toNanos();
            while (after.seen().isEmpty()) {
                assertThat(fakes.client.get("key")).isPresent();
                assertThat(System.nanoTime()).isLessThan(end);
            }
            // The other one may fail now.
            stays.close();
            for (int i = 0; i < 10; i++) {
                assertThat(fakes.client.get("key")).isPresent();
            }
        }
    }

    @Test
    void anAddressAtWhichAnotherMemberAnswersIsNotUsed() throws Exception {
        FakeNode before = node("n2");
        try (Fakes fakes = new Fakes(DEADLINE, node("n1"), before);
                FakeNode wrong = node("n3")) {
            setRing(2, Map.of("n1", fakes.nodes.get(0), "n2", wrong));
            before.close();
            long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
            while (System.nanoTime() < end) {
                assertThat(fakes.client.get("key")).isPresent();
            }
            assertThat(wrong.seen()).isEmpty();
            assertThat(List.copyOf(fakes.nodes.get(0).seen())).isNotEmpty();
        }
    }
}
