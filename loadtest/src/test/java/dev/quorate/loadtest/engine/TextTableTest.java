package dev.quorate.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {

    @Test
    void alignsItsColumns() {
        assertThat(
                        EngineReport.aligned(
                                List.of(
                                        List.of("", "per second", "ms"),
                                        List.of("static", "1", "0.10"),
                                        List.of("GET 2/3", "1,000,000", "12.34"))))
                .isEqualTo(
                        """
                                 per second     ms
                        static            1   0.10
                        GET 2/3   1,000,000  12.34
                        """);
    }

    @Test
    void refusesALineWithAnotherNumberOfCells() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EngineReport.aligned(List.of(List.of("a", "b"), List.of("c"))));
    }
}
