package dev.quorate.router.coordinator.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A node of which the test says how much it can do, and clients that ask for more, or for less. */
final class AdmissionTest {

    private static final int MOST = 10_000;
    private static final int TICKS_PER_SECOND = 20;

    /** A third of this is what one may wait: 200 ms. */
    private final Admission admission = new Admission(MOST, Duration.ofMillis(600));

    private int refused;

    /** So many ticks in which some come, and of all that are there so many are done. */
    private void ticks(int count, int coming, int done) {
        for (int tick = 0; tick < count; tick++) {
            for (int i = 0; i < coming; i++) {
                refused += admission.tryBegin() ? 0 : 1;
            }
            for (int i = 0; i < done && admission.underway() > 0; i++) {
                admission.end();
            }
            admission.tick();
        }
    }

    @Test
    void nothingIsLimitedWhileAllIsDoneInTime() {
        ticks(100, 500, 500);
        ticks(100, 3, 500);
        assertThat(refused).isZero();
        assertThat(admission.limit()).isEqualTo(MOST);
    }

    @Test
    void aBurstAfterQuietIsNotRefused() {
        ticks(100, 1, 2); // One at a time: its pace says nothing of what could be done.
        ticks(1, 3_000, 0);
        ticks(9, 0, 400);
        assertThat(refused).isZero();
    }

    @Test
    void aMomentWithoutCompletionsIsNoOverload() {
        ticks(50, 500, 500);
        ticks(Admission.TICKS - 1, 10, 0);
        ticks(50, 10, 500);
        assertThat(refused).isZero();
    }

    @Test
    void underTooMuchAsManyAreLetInAsEndInAThirdOfTheirTime() {
        ticks(100, 1_000, 500);
        refused = 0;
        ticks(100, 1_000, 500);
        // 500 in a 20th of a second are 2,000 in 200 ms.
        assertThat(admission.limit()).isEqualTo(2_000);
        assertThat(admission.underway()).isLessThanOrEqualTo(2_000);
        assertThat(refused).as("what is more than can be done").isEqualTo(100 * 500);
        assertThat(admission.hasRoom()).as("500 have just ended").isTrue();
    }

    @Test
    void throughputStaysUnderAnyLoad() {
        ticks(60, 5_000, 500);
        refused = 0;
        ticks(TICKS_PER_SECOND, 5_000, 500);
        assertThat(TICKS_PER_SECOND * 5_000 - refused).isEqualTo(TICKS_PER_SECOND * 500);
    }

    @Test
    void theLimitFollowsThePace() {
        ticks(60, 5_000, 500);
        ticks(30, 5_000, 100);
        assertThat(admission.limit()).isEqualTo(400);
        ticks(60, 5_000, 1_000);
        assertThat(admission.limit()).isEqualTo(4_000);
    }

    @Test
    void withoutCompletionsAFewAreStillAdmitted() {
        ticks(60, 1_000, 500);
        ticks(30, 1_000, 0);
        assertThat(admission.limit()).isEqualTo(Admission.LEAST);
        ticks(10_000 / 500, 0, 500);
        assertThat(admission.tryBegin()).as("the node is well again").isTrue();
    }

    @Test
    void afterAnOverloadNothingIsLimited() {
        ticks(100, 5_000, 500);
        ticks(10, 100, 500);
        assertThat(admission.limit()).isEqualTo(MOST);
        refused = 0;
        ticks(100, 400, 500);
        assertThat(refused).isZero();
    }
}
