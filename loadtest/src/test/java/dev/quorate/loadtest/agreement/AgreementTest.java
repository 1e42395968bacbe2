package dev.quorate.loadtest.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.quorate.loadtest.agreement.Agreement.Verdict;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgreementTest {

    private static GeneratorFigures figures(double... figures) {
        return new GeneratorFigures(Arrays.stream(figures).boxed().toList());
    }

    @ParameterizedTest
    @CsvSource({
        "10, 10, 10.9, WITHIN_A_TENTH",
        "10, 10, 9.1, WITHIN_A_TENTH",
        "10, 10, 11.1, APART",
        "10, 10, 8.9, APART",
        "8, 12, 13.9, WITHIN_THE_NOISE",
        "8, 12, 6.1, WITHIN_THE_NOISE",
        "8, 12, 14.1, APART",
        "0, 0, 0, WITHIN_A_TENTH",
        "0, 0, 1, APART"
    })
    void twoAgreeWithinATenthOrWithinWhatTheOneDiffersFromItself(
            double one, double another, double other, Verdict verdict) {
        Agreement agreement = new Agreement("", figures(another, one), figures(other));
        assertThat(agreement.verdict()).isEqualTo(verdict);
        assertThat(verdict.agrees()).isEqualTo(verdict != Verdict.APART);
    }

    @Test
    void theMiddleIsTheMedianOrBetweenTheTwoNextToIt() {
        assertThat(figures(3, 1, 9).middle()).isEqualTo(3);
        assertThat(figures(4, 1, 2, 9).middle()).isEqualTo(3);
        assertThat(figures(4, 1, 2, 9).least()).isEqualTo(1);
        assertThat(figures(4, 1, 2, 9).most()).isEqualTo(9);
        assertThatIllegalArgumentException().isThrownBy(() -> new GeneratorFigures(List.of()));
    }

    @Test
    void theOutputContainsTheDifferences() {
        Agreement near = new Agreement("GET, p50", figures(1, 1.1), figures(1.1, 1.2));
        Agreement far = new Agreement("GET, p99", figures(10, 12), figures(20, 24));
        assertThat(near.difference()).isCloseTo(0.095, within(0.001));
        assertThat(AgreementReport.table(List.of(near, far), "wrk2", "own"))
                .isEqualTo(
                        """
                                  wrk2 ms       its runs  own ms       its runs  difference
                        GET, p50     1.05    1.00 - 1.10    1.15    1.10 - 1.20       +10 %  within 10 %
                        GET, p99    11.00  10.00 - 12.00   22.00  20.00 - 24.00      +100 %        APART
                        """);
    }
}
