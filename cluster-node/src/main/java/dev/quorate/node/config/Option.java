package dev.quorate.node.config;

import com.google.errorprone.annotations.FormatMethod;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An option of a node, declared once: this reads, checks, explains and prints it.
 *
 * @param name lower-case words joined by dashes; the flag is {@code --name}, the line of a file
 *     {@code name=value}
 * @param kind the syntax of its values
 * @param initial its default; null if it has none
 * @param defaultText the default, or a description if it depends on other options or the machine
 * @param help the effect, and the cost of a wrong value, in a few sentences
 */
public record Option<T>(
        String name,
        Kind<T> kind,
        Function<Given, @Nullable T> initial,
        String defaultText,
        String help) {

    static final String VARIABLE_PREFIX = "QUORATE_";

    /** Values that a default may depend on. */
    interface Given {
        /** The value of another option; null if it has none, or an invalid one. */
        <T> @Nullable T get(Option<T> option);

        /** The maximum heap size, in bytes. */
        long heapBytes();

        @FormatMethod
        void violation(String sentence, @Nullable Object... parts);
    }

    /** An option with a constant default. */
    static <T> Option<T> of(String name, Kind<T> kind, String initial, String help) {
        T value = kind.parser().apply(initial);
        return new Option<>(name, kind, given -> value, initial, help);
    }

    String flag() {
        return "--" + name;
    }

    public String variable() {
        return VARIABLE_PREFIX + name.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** Stands for a value in {@code --help}, such as SIZE. */
    public String label() {
        return kind.label();
    }

    /** Whether its flag may be given without a value, which is then true. */
    public boolean isSwitch() {
        return kind.label().equals(Kind.SWITCH);
    }

    /** Help, default and environment variable, in a few sentences. */
    public String description() {
        return isFlagOnly()
                ? "%s Default: %s. Only a flag.".formatted(help, defaultText)
                : "%s Default: %s. Environment: %s.".formatted(help, defaultText, variable());
    }

    /**
     * Whether only a flag may set it: a file or an environment would still say at a later start
     * that the cluster is new.
     */
    boolean isFlagOnly() {
        return name.equals("founding");
    }
}
