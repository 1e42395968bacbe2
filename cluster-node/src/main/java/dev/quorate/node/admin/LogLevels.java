package dev.quorate.node.admin;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import com.google.common.collect.Maps;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
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

    /** The level of a logger without one of its own. */
    private static final String INHERITED = "inherited";

    private static final Map<String, Level> LEVELS =
            Maps.uniqueIndex(
                    List.of(Level.ERROR, Level.WARN, Level.INFO, Level.DEBUG, Level.TRACE),
                    LogLevels::text);

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
                boolean isRoot = logger.getName().equals(Logger.ROOT_LOGGER_NAME);
                String name = isRoot ? ROOT : logger.getName();
                text.append(text(level)).append(' ').append(name).append('\n');
            }
        }
        return HttpResponse.text(200, text.toString());
    }

    private static String text(Level level) {
        return level.toString().toLowerCase(Locale.ROOT);
    }

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
        if (name.equals("audit")) {
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
