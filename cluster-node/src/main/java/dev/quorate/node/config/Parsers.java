package dev.quorate.node.config;

import dev.quorate.node.config.ConfigKey.BadValue;
import dev.quorate.node.config.ConfigKey.Parser;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Parsers of configuration values. Numbers are plain ASCII digits: no signs, no blanks. */
final class Parsers {

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    private static final Pattern BYTES = Pattern.compile("([0-9]{1,12})(|KiB|MiB|GiB)");
    private static final Pattern MILLIS = Pattern.compile("([0-9]{1,12})(|ms|s)");

    private Parsers() {}

    static Parser<String> text() {
        return text -> {
            if (text.isBlank()) {
                throw new BadValue("must not be empty");
            }
            return text;
        };
    }

    /** Names of hosts, {@code name,name,…}, without ports. */
    static Parser<List<String>> hostNames() {
        return text -> {
            List<String> names = List.of(text.split(",", -1));
            for (String name : names) {
                if (!name.matches("[A-Za-z0-9._-]{1,253}|\\*")) {
                    throw new BadValue(
                            "must be names of hosts, name,name,..., or *, not '" + text + "'");
                }
            }
            return names;
        };
    }

    /** As browsers send them: no path, no default port, lower case. */
    static Parser<List<String>> origins() {
        return text -> {
            List<String> origins = List.of(text.split(",", -1));
            for (String origin : origins) {
                if (!origin.matches("https?://[a-z0-9._-]{1,253}(:[1-9][0-9]{0,4})?")) {
                    throw new BadValue(
                            "must be origins, https://host,http://host:port,... in lower case and"
                                    + " without a path, not '"
                                    + text
                                    + "'");
                }
            }
            return origins;
        };
    }

    static Parser<Boolean> yesOrNo() {
        return text ->
                switch (text) {
                    case "true" -> true;
                    case "false" -> false;
                    default -> throw new BadValue("must be true or false, not '" + text + "'");
                };
    }

    static Parser<Path> path() {
        return text -> {
            if (text.isBlank()) {
                throw new BadValue("must not be empty");
            }
            try {
                return Path.of(text);
            } catch (InvalidPathException e) {
                throw new BadValue("must be a path, not '" + text + "'");
            }
        };
    }

    /** Addresses by name, {@code n1=host:port,n2=…}, none of them resolved. */
    static Parser<Map<String, InetSocketAddress>> addresses() {
        return text -> {
            Map<String, InetSocketAddress> addresses = new TreeMap<>();
            for (String part : text.split(",", -1)) {
                int equals = part.indexOf('=');
                String name = equals < 0 ? "" : part.substring(0, equals).strip();
                InetSocketAddress address = address(part.substring(equals + 1).strip());
                if (name.isEmpty() || address == null) {
                    throw new BadValue(
                            "must be addresses such as n2=host:port,n3=host:port, not '"
                                    + part
                                    + "'");
                }
                if (addresses.put(name, address) != null) {
                    throw new BadValue("must not name " + name + " twice");
                }
            }
            return addresses;
        };
    }

    private static @Nullable InetSocketAddress address(String text) {
        try {
            URI uri = new URI("http://" + text);
            String host = uri.getHost();
            int port = uri.getPort();
            return host != null
                            && port >= 1
                            && port <= NodeOptions.MAX_PORT
                            && text.equals(host + ":" + port)
                    ? InetSocketAddress.createUnresolved(host, port)
                    : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** The text that {@link #addresses} parses to these addresses. */
    static String text(Map<String, InetSocketAddress> addresses) {
        return addresses.entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue().getHostString() + ":" + port(e))
                .collect(Collectors.joining(","));
    }

    /** The text of a path that may be absent. */
    static String text(@Nullable Path path) {
        return path == null ? "" : path.toString();
    }

    private static int port(Map.Entry<String, InetSocketAddress> address) {
        return address.getValue().getPort();
    }

    static Parser<Integer> number(int least, int most) {
        return text -> {
            if (!NUMBER.matcher(text).matches()) {
                throw notBetween("a whole number", text, least, most);
            }
            long value = Long.parseLong(text);
            if (value < least || value > most) {
                throw notBetween("a whole number", text, least, most);
            }
            return (int) value;
        };
    }

    /** A number of bytes, perhaps with a unit: {@code 65536}, {@code 64KiB}, {@code 16MiB}. */
    static Parser<Long> bytes(long least, long most) {
        return text -> {
            Matcher matcher = BYTES.matcher(text);
            String kind = "a number of bytes such as 65536, 64KiB or 16MiB,";
            if (!matcher.matches()) {
                throw notBetween(kind, text, least, most);
            }
            int shift =
                    switch (matcher.group(2)) {
                        case "KiB" -> 10;
                        case "MiB" -> 20;
                        case "GiB" -> 30;
                        default -> 0;
                    };
            long number = Long.parseLong(matcher.group(1));
            if (number > (most >> shift) || (number << shift) < least) {
                throw notBetween(kind, text, least, most);
            }
            return number << shift;
        };
    }

    /** A time in milliseconds, perhaps with a unit: {@code 1000}, {@code 1000ms}, {@code 1s}. */
    static Parser<Duration> millis(long least, long most) {
        return text -> {
            Matcher matcher = MILLIS.matcher(text);
            String kind = "a time such as 500, 500ms or 2s,";
            if (!matcher.matches()) {
                throw notBetween(kind, text, least, most);
            }
            long factor = matcher.group(2).equals("s") ? 1000 : 1;
            long value = Long.parseLong(matcher.group(1)) * factor;
            if (value < least || value > most) {
                throw notBetween(kind, text, least, most);
            }
            return Duration.ofMillis(value);
        };
    }

    /** One of an enum's constants, in lower case. */
    static <E extends Enum<E>> Parser<E> choice(Class<E> type) {
        return text -> {
            StringBuilder choices = new StringBuilder();
            for (E constant : type.getEnumConstants()) {
                String name = lowerCase(constant);
                if (name.equals(text)) {
                    return constant;
                }
                choices.append(choices.isEmpty() ? "" : " or ").append(name);
            }
            throw new BadValue("must be " + choices + ", not '" + text + "'");
        };
    }

    static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static BadValue notBetween(String kind, String text, long least, long most) {
        return new BadValue(
                "must be " + kind + " from " + least + " to " + most + ", not '" + text + "'");
    }
}
