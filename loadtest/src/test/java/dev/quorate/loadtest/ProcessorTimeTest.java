package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessorTimeTest {

    @Test
    void stolenTimeIsAShareOfAll() {
        ReportCircumstances.ProcessorTime before =
                ReportCircumstances.ProcessorTime.parse(
                                "cpu  100 0 100 700 50 0 0 50 80 0\ncpu0 1 2 3")
                        .orElseThrow();
        assertThat(before).isEqualTo(new ReportCircumstances.ProcessorTime(1_000, 50));
        assertThat(new ReportCircumstances.ProcessorTime(2_000, 175).stolenSince(before))
                .contains("12.5 %");
        assertThat(before.stolenSince(before)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "cpu0 1 2 3 4 5 6 7 8",
                "cpu 1 2 3 4 5 6 7",
                "cpu 1 2 3 4 5 6 7 x",
                "cpu 1 2 3 4 5 6 7 9999999999999999999"
            })
    void otherContentIsNoEvidence(String stat) {
        assertThat(ReportCircumstances.ProcessorTime.parse(stat)).isEmpty();
    }
}
