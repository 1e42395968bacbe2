package dev.quorate.loadtest.beside;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.NodeClient;
import dev.quorate.loadtest.StubServer;
import dev.quorate.loadtest.bench.NodeProcess;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.bench.RunningCluster;
import dev.quorate.loadtest.beside.OtherStore.Kind;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BesideBenchmarkTest {

    private static final int KEYS = 30;

    private final List<String> said = new ArrayList<>();

    private record Stub(StubServer server) implements RunningCluster {

        @Override
        public String url() {
            return server.url();
        }

        @Override
        public List<NodeProcess> nodes() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    private BesideResult run(StubServer ours, FakeRedis theirs) throws Exception {
        BesidePlan plan =
                new BesidePlan(
                        BesidePlan.cases(List.of(3)),
                        Load.Clients.of(4),
                        0,
                        KEYS,
                        100,
                        new BesidePlan.Pace(1, 1, 2));
        try (NodeClient client = new NodeClient()) {
            OtherStore other = OtherStore.ask(Kind.REDIS, theirs.url(), client);
            return new BesideBenchmark(
                            _ -> new Stub(ours),
                            new OpenLoopGenerator(),
                            Probe.of(client),
                            said::add)
                    .run(plan, other);
        }
    }

    @Test
    void bothGetTheSameLoadByTurns() throws Exception {
        try (StubServer ours = new StubServer(StubServer.GOOD);
                FakeRedis theirs = new FakeRedis(_ -> "")) {
            BesideResult result = run(ours, theirs);
            assertThat(result.refusals()).isEmpty();
            assertThat(result.figures())
                    .extracting(BesideResult.Figures::name)
                    .containsExactly("three nodes, GET 2/3", "three nodes, durable PUT 2/3");
            assertThat(result.figures())
                    .allSatisfy(each -> assertThat(each.ours()).hasSize(2))
                    .allSatisfy(each -> assertThat(each.theirs()).hasSize(2));
            assertThat(theirs.keys()).isEqualTo(KEYS);
            assertThat(result.text()).contains("Quorate/s", "Redis/s", "Quorate of Redis");
            assertThat(result.json()).contains("\"three nodes, GET 2/3, Redis, p99\"");
        }
        assertThat(said.stream().filter(line -> line.startsWith("three nodes, GET 2/3, ")))
                .extracting(line -> line.replaceAll(":.*", ""))
                .containsExactly(
                        "three nodes, GET 2/3, Quorate",
                        "three nodes, GET 2/3, Redis",
                        "three nodes, GET 2/3, Redis",
                        "three nodes, GET 2/3, Quorate");
    }

    @Test
    void aCaseInWhichTheOtherStoreFailsHasNoFigures() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        AtomicInteger gets = new AtomicInteger();
        try (StubServer ours = new StubServer(StubServer.GOOD);
                FakeRedis theirs =
                        new FakeRedis(
                                command -> {
                                    if (command.startsWith("GET") && gets.incrementAndGet() > 100) {
                                        broken.set(true);
                                    }
                                    return command.startsWith("GET") && broken.get()
                                            ? "$4\r\nelse\r\n"
                                            : "";
                                })) {
            BesideResult result = run(ours, theirs);
            assertThat(result.refusals())
                    .singleElement()
                    .asString()
                    .startsWith("three nodes, GET 2/3: no figures: Redis: ")
                    .endsWith("answers had a body that was never put.");
            assertThat(result.figures())
                    .extracting(BesideResult.Figures::name)
                    .containsExactly("three nodes, durable PUT 2/3");
        }
    }
}
