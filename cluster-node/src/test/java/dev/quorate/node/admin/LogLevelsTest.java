package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import dev.quorate.node.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Levels at run time: which can be changed, and that no client makes loggers. */
final class LogLevelsTest {

    private static final String PACKAGE = "dev.quorate.node.admin";

    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final Logger logger = context.getLogger(LogLevelsTest.class);

    @AfterEach
    void reset() {
        context.getLogger(PACKAGE).setLevel(null);
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.INFO);
    }

    private static String text(HttpResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Test
    void aLevelIsChangedAndInheritedAgain() {
        assertThat(text(LogLevels.page())).contains("info root\n", "info audit\n");
        assertThat(logger.isDebugEnabled()).isFalse();
        HttpResponse changed = LogLevels.change(PACKAGE, "debug");
        assertThat(changed.status()).isEqualTo(200);
        assertThat(text(changed)).contains("debug " + PACKAGE + "\n");
        assertThat(logger.isDebugEnabled()).isTrue();
        assertThat(LogLevels.change(PACKAGE, "inherited").status()).isEqualTo(200);
        assertThat(logger.isDebugEnabled()).isFalse();
        assertThat(LogLevels.change("root", "trace").status()).isEqualTo(200);
        assertThat(logger.isTraceEnabled()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "root, inherited, 400",
        "root, off, 400",
        "root, DEBUG, 400",
        "root, '', 400",
        "audit, error, 400",
        "audit, debug, 400",
        "no.such.logger, debug, 404",
        "'', debug, 404",
        "'x y', debug, 404",
    })
    void whatMakesNoSenseChangesNothing(String name, String level, int status) {
        int before = context.getLoggerList().size();
        String levels = text(LogLevels.page());
        assertThat(LogLevels.change(name, level).status()).isEqualTo(status);
        assertThat(text(LogLevels.page())).isEqualTo(levels);
        assertThat(context.getLoggerList()).hasSize(before);
        assertThat(context.getLogger("audit").isInfoEnabled()).isTrue();
    }

    /** It has a level of its own, so that the root's does not matter. */
    @Test
    void theAuditGoesOnWhateverTheRootLogs() {
        assertThat(LogLevels.change("root", "error").status()).isEqualTo(200);
        assertThat(context.getLogger("audit").isInfoEnabled()).isTrue();
        assertThat(logger.isInfoEnabled()).isFalse();
    }
}
