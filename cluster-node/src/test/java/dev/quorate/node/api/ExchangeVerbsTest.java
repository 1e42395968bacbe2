package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.HttpExchange;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A wrapper that leaves a verb to its default loses what the wrapped exchange does. */
final class ExchangeVerbsTest {

    @Test
    void everyExchangeImplementsEveryVerb() throws Exception {
        List<String> missing = new ArrayList<>();
        int exchanges = 0;
        Path classes =
                Path.of(
                        HttpExchange.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        List<Path> files;
        try (Stream<Path> all = Files.walk(classes)) {
            files = all.filter(file -> file.toString().endsWith(".class")).toList();
        }
        for (Path file : files) {
            String name = classes.relativize(file).toString().replace('/', '.');
            if (!name.startsWith("dev.quorate.node.")) {
                continue;
            }
            Class<?> type =
                    Class.forName(
                            name.substring(0, name.length() - ".class".length()),
                            false,
                            HttpExchange.class.getClassLoader());
            if (!HttpExchange.class.isAssignableFrom(type) || type.isInterface()) {
                continue;
            }
            exchanges++;
            for (Method verb : HttpExchange.class.getDeclaredMethods()) {
                if (!verb.isSynthetic()
                        && !Modifier.isStatic(verb.getModifiers())
                        && isDefaultIn(type, verb)) {
                    missing.add(type.getSimpleName() + type.getName() + "." + verb.getName());
                }
            }
        }
        assertThat(exchanges).as("exchanges and wrappers").isGreaterThan(4);
        assertThat(missing).isEmpty();
    }

    private static boolean isDefaultIn(Class<?> type, Method verb) throws Exception {
        return type.getMethod(verb.getName(), verb.getParameterTypes()).getDeclaringClass()
                == HttpExchange.class;
    }
}
