package dev.quorate.testkit.reading;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reading lists of docs/architecture.md name the classes that requests call. */
class ReadingListsTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final Pattern NAME = Pattern.compile("`([a-z.]+\\.(?:[A-Z]\\w*|\\*))`");
    private static final Map<String, String> SECTIONS =
            Map.of(
                    "PUT",
                    "One PUT",
                    "GET",
                    "One GET",
                    "conditional write",
                    "One conditional write");

    private static final List<String> LISTS =
            List.of(
                    "One PUT",
                    "One GET",
                    "One conditional write",
                    "One restart",
                    "Everything else");

    /** The names in all lists. */
    private static final Set<String> LISTED = new HashSet<>();

    private static Map<String, Set<String>> called = Map.of();

    @BeforeAll
    @SuppressWarnings("unchecked")
    static void trace() throws Exception {
        for (String list : LISTS) {
            LISTED.addAll(names(list));
        }
        Class<?> requests =
                new CalledClasses(ReadingListsTest.class.getClassLoader())
                        .loadClass(TracedRequests.class.getName());
        called =
                ((Callable<Map<String, Set<String>>>)
                                requests.getDeclaredConstructor().newInstance())
                        .call();
    }

    /** The names in the first column of the tables of a section of docs/architecture.md. */
    private static Set<String> names(String section) throws IOException {
        String page = Files.readString(ROOT.resolve("docs/architecture.md"));
        String rest = page.substring(page.indexOf("### " + section + "\n") + 4);
        Set<String> names = new LinkedHashSet<>();
        rest.substring(0, rest.indexOf("\n##"))
                .lines()
                .filter(line -> line.startsWith("|"))
                .forEach(
                        line ->
                                NAME.matcher(line.substring(0, line.indexOf('|', 1)))
                                        .results()
                                        .forEach(name -> names.add(name.group(1))));
        return names;
    }

    /** Whether any list names a class: requests share their beginning and end. */
    private static boolean isListed(String name) {
        return LISTED.contains(name) || LISTED.contains(name.replaceFirst("\\w+$", "*"));
    }

    @ParameterizedTest
    @CsvSource({"PUT", "GET", "conditional write"})
    void listsNameTheClassesThatARequestCalls(String request) throws IOException {
        List<String> unlisted = new ArrayList<>();
        for (String name : called.get(request)) {
            if (!isListed(name)) {
                unlisted.add(name);
            }
        }
        assertThat(unlisted).isEmpty();
        assertThat(called.get(request)).containsAll(names(SECTIONS.get(request)));
    }

    @Test
    void theFilesOfARestartExist() throws IOException {
        assertThat(names("One restart")).isNotEmpty();
        for (String name : names("One restart")) {
            assertThat(lines(name)).as(name).isPositive();
        }
    }

    @Test
    void theListOfAPutCanBeReadInAnEvening() throws IOException {
        Set<String> names = names("One PUT");
        long lines = 0;
        for (String name : names) {
            lines += lines(name);
        }
        assertThat(names).hasSizeLessThanOrEqualTo(20);
        assertThat(lines).isLessThanOrEqualTo(4_000);
    }

    private static long lines(String name) throws IOException {
        String path = "src/main/java/dev/quorate/" + name.replace('.', '/') + ".java";
        for (String module : List.of("cluster-node", "cluster-router", "storage-lsm")) {
            Path file = ROOT.resolve(module).resolve(path);
            if (Files.exists(file)) {
                return Files.readAllLines(file).size();
            }
        }
        throw new IOException("no file of " + name);
    }
}
