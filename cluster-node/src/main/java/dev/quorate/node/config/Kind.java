package dev.quorate.node.config;

import com.google.common.base.Joiner;
import com.google.common.collect.Maps;
import dev.quorate.router.runtime.Units;
import dev.quorate.router.topology.Topology;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The syntax of an option's values.
 *
 * @param label stands for a value in help texts
 * @param parser throws {@link IllegalArgumentException} with the rest of a sentence that begins
 *     with the name and the text
 * @param printer the inverse of the parser, with secrets masked
 */
record Kind<T>(String label, Function<String, T> parser, Function<T, String> printer) {

    static final int MAX_PORT = 65_535;
    static final String SWITCH = "BOOL";

    private static final Pattern ADDRESS =
            Pattern.compile("([^=\\s]+)\\s*=\\s*(\\[[0-9a-fA-F:.]+\\]|[\\w.-]+):([0-9]{1,5})");

    static Kind<String> text(String label) {
        return new Kind<>(label, Kind::notBlank, text -> text);
    }

    /** Not parsed here, because a violation would contain it. */
    static Kind<String> secret() {
        return new Kind<>("TEXT", text -> text, text -> Secret.MASK);
    }

    static Kind<Path> path(String label) {
        return new Kind<>(label, text -> Path.of(notBlank(text)), Path::toString);
    }

    static Kind<Topology> topology() {
        return new Kind<>(
                "MEMBERS",
                Topology::parse,
                topology ->
                        topology.members().stream()
                                .map(Object::toString)
                                .collect(Collectors.joining(",")));
    }

    /** Texts that match a pattern, separated by commas. */
    static Kind<List<String>> list(String label, String meaning, String pattern) {
        return new Kind<>(
                label,
                text -> {
                    List<String> parts = List.of(text.split(",", -1));
                    require(parts.stream().allMatch(part -> part.matches(pattern)), meaning);
                    return parts;
                },
                parts -> String.join(",", parts));
    }

    /** Addresses by name, {@code n1=host:port,n2=…}, none of them resolved. */
    static Kind<Map<String, InetSocketAddress>> addresses() {
        return new Kind<>(
                "ADDRESSES",
                Kind::addresses,
                addresses ->
                        Joiner.on(',')
                                .withKeyValueSeparator('=')
                                .join(Maps.transformValues(addresses, Kind::hostAndPort)));
    }

    private static String hostAndPort(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    private static Map<String, InetSocketAddress> addresses(String text) {
        Map<String, InetSocketAddress> addresses = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            Matcher each = ADDRESS.matcher(part.strip());
            int port = each.matches() ? Integer.parseInt(each.group(3)) : 0;
            require(
                    port >= 1
                            && port <= MAX_PORT
                            && addresses.put(
                                            each.group(1),
                                            InetSocketAddress.createUnresolved(each.group(2), port))
                                    == null,
                    "addresses such as n2=host:port,n3=host:port, one for a member");
        }
        return addresses;
    }

    static Kind<Integer> number(int least, int most) {
        return new Kind<>(
                "N",
                text -> {
                    boolean isNumber = text.matches("[0-9]{1,9}");
                    int number = isNumber ? Integer.parseInt(text) : 0;
                    require(
                            isNumber && number >= least && number <= most,
                            "a whole number from " + least + " to " + most);
                    return number;
                },
                Object::toString);
    }

    /** A number with at most two digits after the point, in percent. */
    static Kind<Integer> percent() {
        return new Kind<>(
                "NUMBER",
                text -> {
                    require(
                            text.matches("[0-9]{1,3}(\\.[0-9]{1,2})?"),
                            "a number with at most two digits after the point");
                    return Math.toIntExact(Math.round(Double.parseDouble(text) * 100));
                },
                percent -> String.valueOf(percent / 100.0));
    }

    static Kind<Duration> duration(String least, String most) {
        long min = Units.DURATION.parse(least);
        long max = Units.DURATION.parse(most);
        return new Kind<>(
                "DURATION",
                text -> Duration.ofMillis(Units.DURATION.parse(text, min, max, null)),
                duration -> Units.DURATION.text(duration.toMillis()));
    }

    static Kind<Long> size(String least, String most) {
        long min = Units.SIZE.parse(least);
        long max = Units.SIZE.parse(most);
        return new Kind<>("SIZE", text -> Units.SIZE.parse(text, min, max, null), Units.SIZE::text);
    }

    static Kind<Boolean> yesOrNo() {
        return new Kind<>(
                SWITCH,
                text -> {
                    require(text.equals("true") || text.equals("false"), "true or false");
                    return Boolean.valueOf(text);
                },
                Object::toString);
    }

    /** One of an enum's constants, in lower case. */
    static <E extends Enum<E>> Kind<E> choice(Class<E> type) {
        List<E> all = List.of(type.getEnumConstants());
        List<String> names = all.stream().map(Kind::lowerCase).toList();
        return new Kind<>(
                "KIND",
                text -> {
                    require(names.contains(text), String.join(" or ", names));
                    return all.get(names.indexOf(text));
                },
                Kind::lowerCase);
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String notBlank(String text) {
        require(!text.isBlank(), "a text that is not empty");
        return text;
    }

    private static void require(boolean holds, String meaning) {
        if (!holds) {
            throw new IllegalArgumentException("must be " + meaning);
        }
    }
}
