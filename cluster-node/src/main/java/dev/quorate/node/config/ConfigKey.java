package dev.quorate.node.config;

import java.util.Locale;
import java.util.function.Function;

/**
 * One key of the configuration.
 *
 * @param name lower-case words joined by dashes; the flag is {@code --name}, the line of a file
 *     {@code name=value}
 * @param meaning what it does, and what a wrong value costs, in one sentence
 * @param defaultText what holds if it is not given: a value, which an explanation may follow after
 *     a comma; or, where it depends on other keys or the machine, a description
 * @param parser makes the value of its text
 * @param effective the value that holds, as text; the value of a secret is masked
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

    /** Makes a value of its text. */
    @FunctionalInterface
    interface Parser<T> {

        /**
         * The value that a text stands for.
         *
         * @throws BadValue if it stands for none
         */
        T parse(String text) throws BadValue;
    }

    /** A text that cannot be a value; the message goes on after the key's name: "must be ...". */
    static final class BadValue extends Exception {

        private static final long serialVersionUID = 1;

        BadValue(String message) {
            super(message);
        }
    }
}
