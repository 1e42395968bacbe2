package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What nodes log in tests of users. */
final class TestLogTest {

    @Test
    void warningsArePrintedAndAllIsKeptForAFailure() {
        LoggerContext context = new LoggerContext();
        TestLogConfigurator.configureForTests(context);
        Logger logger = context.getLogger("dev.quorate.Node");
        TestLog.take();
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            logger.debug("nothing");
            logger.info("started");
            logger.warn("broken");
        } finally {
            System.setOut(out);
            context.stop();
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("Node: broken")
                .doesNotContain("started");
        assertThat(TestLog.take())
                .contains("INFO ", "Node: started", "Node: broken")
                .doesNotContain("nothing");
        assertThat(TestLog.take()).isEmpty();
    }

    @Test
    void onlyTheLastLinesAreKept() {
        TestLog.take();
        for (int i = 0; i < 5_001; i++) {
            TestLog.add(i + "\n");
        }
        assertThat(TestLog.take()).startsWith("1\n").endsWith("5000\n");
    }

    /** These tests have a logback-test.xml. */
    @Test
    void aConfigurationOfTheUserIsUsedInstead() {
        LoggerContext context = new LoggerContext();
        assertThat(new TestLogConfigurator().configure(context))
                .isEqualTo(ExecutionStatus.INVOKE_NEXT_IF_ANY);
        assertThat(context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).iteratorForAppenders())
                .isExhausted();
    }
}
