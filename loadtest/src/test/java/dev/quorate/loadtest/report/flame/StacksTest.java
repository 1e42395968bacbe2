package dev.quorate.loadtest.report.flame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.report.flame.Stacks.Stack;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StacksTest {

    @Test
    void readsFramesWithoutTheirMarks() throws CommandException {
        Stacks stacks =
                Stacks.parse(
                        "a.collapsed",
                        List.of(
                                "java/lang/Thread.run_[j];a/B.c_[0];do_syscall_64_[k] 7",
                                "[kworker/0:1 tid=5];operator new(unsigned long) 12",
                                "one 999999999999999"));
        assertThat(stacks.stacks())
                .containsExactly(
                        new Stack(List.of("java/lang/Thread.run", "a/B.c", "do_syscall_64"), 7),
                        new Stack(
                                List.of("[kworker/0:1 tid=5]", "operator new(unsigned long)"), 12),
                        new Stack(List.of("one"), 999_999_999_999_999L));
        assertThat(stacks.total()).isEqualTo(1_000_000_000_000_018L);
    }

    @Test
    void noLinesAreNoStacks() throws CommandException {
        assertThat(Stacks.parse("a.collapsed", List.of()).total()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a;b", "a;b 1 ", "a -1", "a 1.5", "12", " 12", "a 1234567890123456"})
    void refusesHalfALine(String line) {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> Stacks.parse("a.collapsed", List.of("a 1", line)))
                .withMessage("line 2 of a.collapsed is not a stack and a number.");
    }
}
