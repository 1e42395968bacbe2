package dev.quorate.testkit.conditional;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Promise;
import dev.quorate.testkit.history.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Conditional writes are linearizable, and a checker that says so notices mistakes. */
class ConditionalProtocolTest {

    private static final int LIVES = Integer.getInteger("quorate.sim.protocols", 1_000);

    /** Of how many lives one has to show a mistake. */
    private static final int LIVES_OF_A_MISTAKE = 20_000;

    private static final int STEPS = 600;

    @Test
    void anyOrderOfEventsIsLinearizable() {
        long first = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println("anyOrderOfEventsIsLinearizable: -Dquorate.seed=" + first);
        long operations = 0;
        long written = 0;
        long unknown = 0;
        for (int i = 0; i < LIVES; i++) {
            History history = new ProtocolSimulation(first + i, Mistake.NONE).run(STEPS);
            Verdict verdict = Checker.check(history, Promise.LINEARIZABLE);
            assertThat(verdict.isKept())
                    .as("-Dquorate.seed=%d%n%s%n%s", first + i, verdict, history)
                    .isTrue();
            operations += verdict.counts().operations();
            written += verdict.counts().acknowledgedWrites();
            unknown += verdict.counts().indeterminate();
        }
        System.out.println(
                LIVES
                        + " lives: "
                        + operations
                        + " operations, "
                        + written
                        + " writes, "
                        + unknown
                        + " indeterminate");
        assertThat(written).isGreaterThan(LIVES * 3L);
    }

    @Test
    void aSeedRepeatsItself() {
        String digest = new ProtocolSimulation(42, Mistake.NONE).run(STEPS).digest();
        assertThat(new ProtocolSimulation(42, Mistake.NONE).run(STEPS).digest()).isEqualTo(digest);
    }

    @ParameterizedTest
    @EnumSource(value = Mistake.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMistakeIsNoticed(Mistake mistake) {
        long first = Long.getLong("quorate.seed", System.nanoTime());
        for (int i = 0; i < LIVES_OF_A_MISTAKE; i++) {
            History history = new ProtocolSimulation(first + i, mistake).run(STEPS);
            Verdict verdict = Checker.check(history, Promise.LINEARIZABLE);
            if (!verdict.isKept()) {
                System.out.println(
                        mistake
                                + " in life "
                                + (i + 1)
                                + ": "
                                + verdict.violations().getFirst().kind());
                return;
            }
        }
        throw new AssertionError(mistake + " went unnoticed, -Dquorate.seed=" + first);
    }
}
