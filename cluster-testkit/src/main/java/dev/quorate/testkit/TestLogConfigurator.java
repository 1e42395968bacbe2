package dev.quorate.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Configures Logback for tests that have no configuration of their own: warnings are printed, and
 * {@link QuorateTest} prints all lines of a test that fails. A system property {@code
 * logback.configurationFile}, a {@code logback-test.xml} or a {@code logback.xml} replaces this.
 * Logback finds the class by its service file.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_LOW_PRIORITY)
public final class TestLogConfigurator extends ContextAwareBase implements Configurator {

    private static final String PATTERN =
            "%d{HH:mm:ss.SSS} %-5level [%thread] %logger{0}: %msg%replace( %kvp){' $', ''}%n%ex";

    /** For Logback. */
    public TestLogConfigurator() {}

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        ClassLoader loader = TestLogConfigurator.class.getClassLoader();
        if (System.getProperty("logback.configurationFile") != null
                || loader.getResource("logback-test.xml") != null
                || loader.getResource("logback.xml") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        configureForTests(context);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    static void configureForTests(LoggerContext context) {
        PatternLayout layout = new PatternLayout();
        layout.setContext(context);
        layout.setPattern(PATTERN);
        layout.start();
        AppenderBase<ILoggingEvent> appender =
                new AppenderBase<>() {
                    @Override
                    protected void append(ILoggingEvent event) {
                        String line = layout.doLayout(event);
                        TestLog.add(line);
                        if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
                            System.out.print(line);
                        }
                    }
                };
        appender.setContext(context);
        appender.setName("test");
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(appender);
    }
}
