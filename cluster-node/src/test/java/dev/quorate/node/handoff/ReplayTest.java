package dev.quorate.node.handoff;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.background.JobTranscript;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The hints for n2, as {@linkplain JobTranscript scripts}. A page holds two of them. {@code check}
 * is what happens once a second, with n2 up; this node begins in the middle of the time that there
 * is to begin in.
 */
class ReplayTest {

    private static final int PAGE = 2;
    private static final long SECOND = 1_000_000_000;

    private final Member member = Topology.parse("n1=http://a:1,n2=http://b:1").members().get(1);
    private final Target target = Target.of(JobTranscript.replica(member), () -> true);
    private final Kept kept = new Kept();
    private final Replay replay = new Replay(target, kept);
    private final List<String> read = new ArrayList<>();
    private long nowNanos;
    private boolean isUp = true;

    /** Hints, each as the write that it is of. */
    private final class Kept implements Replay.Hints {
        private final List<Entry> hints = new ArrayList<>();
        private final List<String> dropped = new ArrayList<>();
        private boolean canBeRead = true;

        void add(String... entries) {
            for (String each : entries) {
                hints.add(JobTranscript.entry(each));
                assertThat(target.add(10, 1_000)).isTrue();
            }
        }

        @Override
        public HintReader.@Nullable Page read(byte[] start, byte[] end, int maxBytes) {
            if (!canBeRead) {
                return null;
            }
            // Pages begin at the first key of the target, or behind the last one of a page.
            boolean isFirst = Arrays.equals(start, HintCodec.start("n2"));
            List<Entry> rest =
                    hints.stream()
                            .filter(
                                    each ->
                                            isFirst
                                                    || Arrays.compareUnsigned(each.key(), start)
                                                            > 0)
                            .toList();
            read.add(isFirst ? "start" : new String(start, UTF_8));
            return rest.size() <= PAGE
                    ? new HintReader.Page(rest, null)
                    : new HintReader.Page(rest.subList(0, PAGE), rest.get(PAGE - 1).key());
        }

        @Override
        public @Nullable Entry writeToSend(Entry hint) {
            if (dropped.contains(new String(hint.key(), UTF_8))) {
                hints.remove(hint);
                return null;
            }
            return hint;
        }

        @Override
        public void delivered(Entry hint) {
            hints.remove(hint);
            target.remove(10);
        }
    }

    private void assertSteps(String script) {
        new JobTranscript<>(replay, new MemoryStore(), this::take).assertSteps(script);
    }

    private void take(String event) {
        switch (event) {
            case "check" -> {
                nowNanos += SECOND;
                replay.check(nowNanos, isUp, 0.5);
            }
            case "n2 goes down" -> isUp = false;
            case "n2 comes up" -> isUp = true;
            case "hints cannot be read" -> kept.canBeRead = false;
            case "hints can be read" -> kept.canBeRead = true;
            default -> throw new IllegalArgumentException(event);
        }
    }

    @Test
    void hintsAreSentPageByPageOnceTheTargetHasBeenUpForAWhile() {
        kept.add("a1", "b2", "c3");
        assertSteps(
                """
                begin
                check
                check
                check
                    send n2 a1
                    send n2 b2
                n2 stored
                n2 stored
                    send n2 c3
                n2 stored
                check
                """);
        assertThat(kept.hints).isEmpty();
        assertThat(target.hasHints()).isFalse();
        assertThat(target.stored().sum()).isEqualTo(3);
    }

    @Test
    void aHintThatFailsIsSkippedAndRetriedAfterThePause() {
        kept.add("a1", "b2", "c3");
        assertSteps(
                """
                begin
                check
                check
                check
                    send n2 a1
                    send n2 b2
                n2 fails OVERLOADED
                n2 stored
                check
                check
                check
                    send n2 c3
                n2 stored
                check
                    send n2 a1
                n2 stored
                """);
        assertThat(kept.hints).isEmpty();
        assertThat(target.failed().sum()).isEqualTo(1);
    }

    @Test
    void pausesGrowWhileThereAreFailures() {
        kept.add("a1");
        assertSteps(
                """
                begin
                check
                check
                check
                    send n2 a1
                n2 fails TIMEOUT
                check
                check
                check
                    send n2 a1
                n2 fails TIMEOUT
                check
                check
                check
                check
                    send n2 a1
                """);
    }

    @Test
    void nothingIsSentToATargetThatIsDown() {
        kept.add("a1");
        assertSteps(
                """
                begin
                n2 goes down
                check
                check
                check
                check
                n2 comes up
                check
                check
                check
                    send n2 a1
                n2 stored
                """);
    }

    @Test
    void aHintThatWasDroppedIsNotSent() {
        kept.add("a1", "b2", "c3");
        kept.dropped.add("a");
        kept.dropped.add("b");
        assertSteps(
                """
                begin
                check
                check
                check
                    send n2 c3
                n2 stored
                """);
    }

    @Test
    void hintsThatCannotBeReadAreReadAgain() {
        kept.add("a1");
        assertSteps(
                """
                begin
                hints cannot be read
                check
                check
                check
                hints can be read
                check
                check
                check
                    send n2 a1
                """);
    }

    @Test
    void withoutHintsNothingIsReadExceptAfterARestart() {
        assertSteps(
                """
                begin
                check
                check
                check
                check
                """);
        assertThat(read).isEmpty();
        replay.mayHaveOldHints();
        assertSteps(
                """
                check
                check
                """);
        assertThat(read).as("once").containsExactly("start");
    }

    @Test
    void sixteenAreUnderWayAtMost() {
        HintReader.Page page =
                new HintReader.Page(
                        java.util.stream.IntStream.range(0, 40)
                                .mapToObj(i -> JobTranscript.entry("a" + (i + 1)))
                                .toList(),
                        null);
        Replay many =
                new Replay(
                        target,
                        new Replay.Hints() {
                            @Override
                            public HintReader.Page read(byte[] start, byte[] end, int maxBytes) {
                                return page;
                            }

                            @Override
                            public Entry writeToSend(Entry hint) {
                                return hint;
                            }

                            @Override
                            public void delivered(Entry hint) {}
                        });
        many.mayHaveOldHints();
        many.check(0, true, 0);
        many.check(SECOND, true, 0);
        int asked = 0;
        while (many.next() instanceof dev.quorate.router.background.Step.Ask) {
            asked++;
        }
        assertThat(asked).isEqualTo(Replay.MAX_IN_FLIGHT);
    }
}
