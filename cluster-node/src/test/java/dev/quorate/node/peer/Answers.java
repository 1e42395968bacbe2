package dev.quorate.node.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;

/** Gathers answers, in the order in which they come. */
final class Answers implements AnswerCallback {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<ReplicaAnswer> all = new CopyOnWriteArrayList<>();

    @Override
    public void answered(ReplicaAnswer answer) {
        all.add(answer);
    }

    int count() {
        return all.size();
    }

    /** Waits until so many have come, and sees that it stays at that. */
    List<ReplicaAnswer> await(int count) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> all.size() >= count);
        assertThat(all).hasSize(count);
        return all;
    }

    static void until(Callable<Boolean> condition) {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(condition);
    }

    List<Failure> failures() {
        return all.stream()
                .filter(Failed.class::isInstance)
                .map(answer -> ((Failed) answer).reason())
                .toList();
    }
}
