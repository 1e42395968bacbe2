package dev.quorate.node.antientropy;

import static dev.quorate.router.background.JobTranscript.store;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.background.JobTranscript;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.StorageException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** One source, as a {@linkplain JobTranscript script}. */
class SourceStreamTest {

    private final Topology topology = Topology.parse("n1=http://a:1,n2=http://b:1");
    private final MemoryStore own = new MemoryStore();
    private final SourceStream stream =
            new SourceStream(
                    JobTranscript.replica(topology.members().get(1)),
                    at ->
                            new ReplicaRequest.StreamPage(
                                    topology.members().getFirst().number(),
                                    false,
                                    List.of(topology.members().get(1).number()),
                                    at,
                                    SourceStream.PAGE_BYTES),
                    own);

    private void assertSteps(String script) {
        new JobTranscript<>(stream, own, this::take).assertSteps(script);
    }

    private void take(String event) {
        switch (event) {
            case "this node cannot read" -> own.failReads(new StorageException.Io(event, null));
            case "this node can read" -> own.failReads(null);
            default -> throw new IllegalArgumentException(event);
        }
    }

    @Test
    void aPageIsRequestedWhileTheOneBeforeItIsWritten() {
        assertSteps(
                """
                begin
                    ask n2 to stream from the start
                n2 streams a5 b6, then from c
                    write a5 b6
                    ask n2 to stream from c
                n2 streams -d7, then from e
                written
                    write -d7
                    ask n2 to stream from e
                written
                n2 streams , and no more
                    write nothing
                written
                    end
                """);
        assertThat(stream.written()).isEqualTo(3);
        assertThat(stream.givenUp()).isNull();
    }

    @Test
    void onlyNewerEntriesAreWritten() {
        store(own, "a5 b7");
        assertSteps(
                """
                begin
                    ask n2 to stream from the start
                n2 streams a5 b6 c1, and no more
                    write c1
                written
                    end
                """);
    }

    @Test
    void anEmptyPageIsFollowedByTheNext() {
        assertSteps(
                """
                begin
                    ask n2 to stream from the start
                n2 streams , then from m
                    write nothing
                    ask n2 to stream from m
                written
                n2 streams , and no more
                    write nothing
                written
                    end
                """);
    }

    @Test
    void aSourceThatFailsFourTimesInARowIsSkipped() {
        assertSteps(
                """
                begin
                    ask n2 to stream from the start
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 to stream from the start
                n2 fails UNREACHABLE
                    pause for 500 ms
                after the pause
                    ask n2 to stream from the start
                n2 streams a1, then from b
                    write a1
                    ask n2 to stream from b
                written
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 to stream from b
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 to stream from b
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 to stream from b
                n2 fails BREAKER_OPEN
                    end
                """);
        assertThat(Objects.requireNonNull(stream.givenUp()).reason())
                .isEqualTo(Failure.BREAKER_OPEN);
    }

    @Test
    void aDamagedSourceIsSkippedAtOnce() {
        assertSteps(
                """
                begin
                    ask n2 to stream from the start
                n2 fails CORRUPT
                    end
                """);
    }

    @Test
    void anAnswerOfAnotherKindIsAFailure() {
        assertSteps(
                """
                begin
                    ask n2 to stream from the start
                n2 stored
                    pause for 500 ms
                """);
    }

    @Test
    void eachFailureIsFollowedByAPause() {
        assertSteps(
                """
                begin
                    ask n2 to stream from the start
                n2 streams a5, then from b
                    write a5
                    ask n2 to stream from b
                not written DISK_FULL
                    pause for 500 ms
                n2 fails TIMEOUT
                after the pause
                    pause for 500 ms
                after the pause
                    write a5
                    ask n2 to stream from b
                """);
    }

    @Test
    void aPageThatCouldNotBeWrittenIsWrittenAgain() {
        assertSteps(
                """
                begin
                    ask n2 to stream from the start
                n2 streams a5, and no more
                    write a5
                not written DISK_FULL
                    pause for 500 ms
                after the pause
                    write a5
                written
                    end
                """);
    }

    @Test
    void aStoreThatCannotBeReadIsTriedAgain() {
        assertSteps(
                """
                begin
                    ask n2 to stream from the start
                this node cannot read
                n2 streams a5, and no more
                    pause for 500 ms
                this node can read
                after the pause
                    write a5
                written
                    end
                """);
    }
}
