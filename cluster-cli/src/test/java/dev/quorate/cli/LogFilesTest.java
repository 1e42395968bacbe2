package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingFileAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log of a node of a local cluster, which nothing else rotates, is bounded. */
final class LogFilesTest {

    private static final int FILES = 4;
    private static final long FILE_BYTES = 16L << 20;

    @TempDir Path folder;

    private List<String> files() throws Exception {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    void sizeAndNumberOfTheFilesAreBounded(String format) throws Exception {
        LoggerContext context = new LoggerContext();
        context.putProperty("quorate.log.format", format + "-file");
        context.putProperty("quorate.log.file." + format, folder.resolve("node.log").toString());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(Main.class.getResource("/logback.xml"));
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        var appender = (RollingFileAppender<ILoggingEvent>) root.getAppender(format + "-file");
        try {
            root.info("a line");
            for (int i = 0; i < 2 * FILES; i++) {
                appender.rollover();
                root.info("the line after rollover {}", i);
            }
            assertThat(files())
                    .containsExactly("node.log", "node.log.1", "node.log.2", "node.log.3");
            String line = "x".repeat(1 << 20);
            for (long bytes = 0; bytes <= FILE_BYTES; bytes += line.length()) {
                root.info(line);
            }
            // How long a file is is looked at once a second.
            await().untilAsserted(
                            () -> {
                                root.info("another line");
                                assertThat(Files.size(folder.resolve("node.log")))
                                        .isLessThan(FILE_BYTES);
                            });
            assertThat(files()).hasSize(FILES);
        } finally {
            context.stop();
        }
    }
}
