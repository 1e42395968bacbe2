package dev.quorate.node.antientropy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which peers are compared with soon, as transcripts. */
class AbsencesTest {

    private static final Duration HALF = Absences.SOON.dividedBy(2);
    private static final Duration FIRST = Absences.FIRST.dividedBy(2);

    private final Absences absences = new Absences();
    private long now = Long.MAX_VALUE - Duration.ofSeconds(30).toNanos(); // it wraps around

    private void after(Duration time) {
        now += time.toNanos();
    }

    private void look(String peer, boolean isUp, long life) {
        absences.observe(peer, isUp, life, now, 0);
    }

    @Test
    void allAreComparedWithAfterTheStart() {
        look("n2", false, 0);
        look("n3", true, 3);
        after(FIRST.minusMillis(1));
        assertThat(absences.due(now)).isNull();
        after(Duration.ofMillis(1));
        assertThat(absences.due(now)).isEqualTo("n3");
        absences.onCompareStarted("n3", now);
        assertThat(absences.due(now)).isNull();
        look("n2", true, 2);
        after(FIRST.minusMillis(1));
        assertThat(absences.due(now)).isNull();
        after(Duration.ofMillis(1));
        assertThat(absences.due(now)).isEqualTo("n2");
    }

    /** Its hints may be lost with a node that stops meanwhile. */
    @Test
    void aReturnSoonAfterTheStartIsComparedWithSoon() {
        absences.observe("n2", true, 2, now, 1);
        after(Duration.ofSeconds(1));
        look("n2", false, 2);
        after(Duration.ofSeconds(1));
        look("n2", true, 2);
        after(HALF.minusMillis(1));
        assertThat(absences.due(now)).isNull();
        after(Duration.ofMillis(1));
        assertThat(absences.due(now)).isEqualTo("n2");
    }

    @Test
    void onesThatDoNotGoAwayAreNotComparedWithAgain() {
        look("n2", true, 2);
        after(FIRST);
        absences.onCompareStarted("n2", now);
        for (int i = 0; i < 1_000; i++) {
            after(Duration.ofSeconds(1));
            look("n2", true, 2);
            assertThat(absences.due(now)).isNull();
        }
    }

    @Test
    void aNewLifeIsAReturnEvenIfThePeerWasNeverDown() {
        look("n2", true, 2);
        after(FIRST);
        absences.onCompareStarted("n2", now);
        after(Absences.BETWEEN);
        look("n2", true, 22);
        after(HALF);
        assertThat(absences.due(now)).isEqualTo("n2");
    }

    @Test
    void aPeerThatIsDownAtItsTurnIsComparedWithWhenItReturns() {
        look("n2", true, 2);
        look("n2", false, 2);
        after(Absences.FIRST);
        assertThat(absences.due(now)).isNull();
        look("n2", true, 2);
        assertThat(absences.due(now)).isEqualTo("n2");
    }

    @Test
    void aFlappingPeerIsComparedWithOnceAMinute() {
        int compared = 0;
        for (int second = 0; second < 600; second++) {
            look("n2", second % 2 == 0, 2);
            String due = absences.due(now);
            if (due != null) {
                absences.onCompareStarted(due, now);
                compared++;
            }
            after(Duration.ofSeconds(1));
        }
        assertThat(compared).isBetween(9, 10);
    }

    @Test
    void aReturnDuringAComparisonCallsForAnother() {
        look("n2", true, 2);
        after(FIRST);
        absences.onCompareStarted("n2", now);
        look("n2", false, 2);
        look("n2", true, 2);
        after(Absences.BETWEEN.minusMillis(1));
        assertThat(absences.due(now)).isNull();
        after(Duration.ofMillis(1));
        assertThat(absences.due(now)).isEqualTo("n2");
    }

    @Test
    void failuresAreRetried() {
        look("n2", true, 2);
        after(FIRST);
        absences.onCompareStarted("n2", now);
        absences.failed("n2", now, 1);
        after(Absences.BETWEEN);
        assertThat(absences.due(now)).isEqualTo("n2");
    }

    /** Not all compare at the same moment with one that comes back. */
    @Test
    void theDelayIsDrawnAtRandom() {
        look("n2", true, 2);
        after(FIRST);
        absences.onCompareStarted("n2", now);
        after(Absences.BETWEEN);
        look("n2", false, 2);
        absences.observe("n2", true, 2, now, 1);
        after(Absences.SOON.minusMillis(1));
        assertThat(absences.due(now)).isNull();
        after(Duration.ofMillis(1));
        assertThat(absences.due(now)).isEqualTo("n2");
    }

    /** Its process says only later which it is. */
    @Test
    void theFirstKnownLifeOfAPeerIsNoReturn() {
        look("n2", true, 0);
        after(FIRST);
        absences.onCompareStarted("n2", now);
        look("n2", true, 2);
        after(Absences.BETWEEN);
        assertThat(absences.due(now)).isNull();
    }
}
