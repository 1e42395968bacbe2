package dev.quorate.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.WriteOptions;
import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.HistoryVerdict;
import dev.quorate.testkit.history.Promise;
import dev.quorate.testkit.history.Recorder;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * A write is made, its answer is lost, and another client writes the key: whatever the first client
 * does then must not bring its value back.
 */
final class LostAnswersTest {

    private static final WriteOptions LINEARIZABLE = WriteOptions.DEFAULT.linearizable();

    /** How the first client writes. */
    @FunctionalInterface
    private interface Write {
        void by(RecordedClient client, String key);
    }

    /** What came of it. */
    private record Run(HistoryVerdict verdict, String last, int writes) {}

    private static Run run(Write write) throws Exception {
        Recorder recorder = new Recorder();
        AtomicBoolean isLost = new AtomicBoolean();
        int[] writes = {0};
        try (QuorateCluster cluster = QuorateCluster.start(3);
                QuorateClient direct = QuorateClient.connect(cluster.url(2), cluster.url(3))) {
            RecordedClient other = new RecordedClient(direct, recorder, 2);
            try (LossyDoor door =
                            new LossyDoor(
                                    cluster.url(1),
                                    head -> {
                                        if (!head.startsWith("PUT")) {
                                            return false;
                                        }
                                        writes[0]++;
                                        if (!isLost.compareAndSet(false, true)) {
                                            return false;
                                        }
                                        other.get("k", ReadOptions.DEFAULT);
                                        other.put("k", "later", LINEARIZABLE);
                                        other.get("k", ReadOptions.DEFAULT);
                                        return true;
                                    });
                    QuorateClient losing =
                            QuorateClient.builder().nodes(List.of(door.uri())).build()) {
                write.by(new RecordedClient(losing, recorder, 1), "k");
            }
            other.get("k", ReadOptions.DEFAULT);
            String last = direct.get(Key.of("k"), ReadOptions.DEFAULT).orElseThrow().text();
            return new Run(
                    Checker.check(recorder.history(), Promise.LINEARIZABLE), last, writes[0]);
        }
    }

    @Test
    void aPlainWriteIsSentOnce() throws Exception {
        Run run = run((client, key) -> client.put(key, "first", LINEARIZABLE));
        assertThat(run.verdict().isKept()).as(run.verdict().toString()).isTrue();
        assertThat(run.last()).isEqualTo("later");
        assertThat(run.writes()).isEqualTo(1);
    }

    @Test
    void aRepeatableWriteIsTheSameWriteTheSecondTime() throws Exception {
        Run run = run((client, key) -> client.put(key, "first", LINEARIZABLE.repeatable()));
        assertThat(run.verdict().isKept()).as(run.verdict().toString()).isTrue();
        assertThat(run.last()).isEqualTo("later");
        assertThat(run.writes()).isEqualTo(2);
    }

    @Test
    void aConditionalWriteIsMadeOnce() throws Exception {
        Run run = run((client, key) -> client.putIf(key, "first", java.util.Optional.empty()));
        assertThat(run.verdict().isKept()).as(run.verdict().toString()).isTrue();
        assertThat(run.last()).isEqualTo("later");
        assertThat(run.writes()).isEqualTo(2);
    }

    /** The checker finds the mistake that this client does not make. */
    @Test
    void aWriteThatIsSentAgainAsANewOneIsNoticed() throws Exception {
        Run run = run((client, key) -> client.putCarelessly(key, "first", LINEARIZABLE));
        assertThat(run.last()).isEqualTo("first");
        assertThat(run.verdict().isKept()).isFalse();
    }
}
