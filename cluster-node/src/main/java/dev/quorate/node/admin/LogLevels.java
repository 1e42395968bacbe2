package dev.quorate.node.admin;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.LoggerFactory;

/**
 * Shows and changes the levels of loggers, until the next start. Only existing loggers can be
 * changed, so that clients create none; and not {@code audit}, which administrators must not
 * disable.
 */
final class LogLevels {

    private static final String ROOT = "root";
    private static final String AUDIT = "audit";

    /** The level of a logger without one of its own. */
    private static final String INHERITED = "inherited";

    private static final Map<String, Level> LEVELS =
            Map.of(
                    "error",
                    Level.ERROR,
                    "warn",
                    Level.WARN,
                    "info",
                    Level.INFO,
                    "debug",
                    Level.DEBUG,
                    "trace",
                    Level.TRACE);

    private LogLevels() {}

    /** A line for each logger that has a level of its own. */
    static HttpResponse page() {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return unknownLog();
        }
        StringBuilder text = new StringBuilder();
        for (Logger logger : context.getLoggerList()) {
            Level level = logger.getLevel();
            if (level != null) {
                text.append(level.toString().toLowerCase(Locale.ROOT))
                        .append(' ')
                        .append(
                                logger.getName().equals(Logger.ROOT_LOGGER_NAME)
                                        ? ROOT
                                        : logger.getName())
                        .append('\n');
            }
        }
        return new HttpResponse(
                200,
                List.of("Content-Type: text/plain; charset=utf-8"),
                text.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Checks both texts, and changes the level of a logger. */
    static HttpResponse change(String name, String levelText) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return unknownLog();
        }
        boolean isRoot = name.equals(ROOT);
        boolean isInherited = levelText.equals(INHERITED);
        Level level = LEVELS.get(levelText);
        if (level == null && (!isInherited || isRoot)) {
            return Problem.response(
                    400,
                    "'level' must be error, warn, info, debug or trace, or for a logger other than"
                            + " root inherited.");
        }
        if (name.equals(AUDIT)) {
            return Problem.response(400, "The level of the logger audit is fixed.");
        }
        Logger logger = context.exists(isRoot ? Logger.ROOT_LOGGER_NAME : name);
        if (logger == null) {
            return Problem.response(
                    404, "There is no such logger. The packages of the program are loggers.");
        }
        logger.setLevel(level);
        return page();
    }

    private static HttpResponse unknownLog() {
        return Problem.response(501, "The program logs by a library whose levels are not known.");
    }
}
