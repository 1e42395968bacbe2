package dev.quorate.node.config;

import java.util.Locale;
import java.util.function.Function;

/**
 * One key of the configuration.
 *
 * @param name lower-case words joined by dashes; the flag is {@code --name}, the line of a file
 *     {@code name=value}
 * @param meaning what it does, and the cost of a wrong value, in one sentence
 * @param defaultText the default: a value, optionally followed by a comma and an explanation; or a
 *     description, if it depends on other keys or the machine
 * @param parser parses its text
 * @param effective the effective value as text; a secret is masked
 */
record ConfigKey<T>(
        String name,
        String meaning,
        String defaultText,
        Parser<T> parser,
        Function<NodeOptions, String> effective) {

    static final String VARIABLE_PREFIX = "QUORATE_";

    /** The environment variable of this key. */
    String variable() {
        return VARIABLE_PREFIX + name.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** The value that {@link #defaultText} states. */
    T defaultValue() {
        String value = defaultText.substring(0, (defaultText + ", ").indexOf(", "));
        try {
            return parser.parse(value);
        } catch (BadValue e) {
            throw new IllegalStateException("the default of " + name + " is no value", e);
        }
    }

    /** Parses a value. */
    @FunctionalInterface
    interface Parser<T> {

        /**
         * Parses a text.
         *
         * @throws BadValue if it is invalid
         */
        T parse(String text) throws BadValue;
    }

    /** An invalid text; the message continues after the key's name: "must be ...". */
    static final class BadValue extends Exception {

        private static final long serialVersionUID = 1;

        BadValue(String message) {
            super(message);
        }
    }
}
