package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links from one page of the repository to another lead somewhere, and every page is reached. */
final class DocumentationTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final Pattern LINK =
            Pattern.compile("\\]\\(([^)\\s]+)\\)|(?:src|href)=\"([^\"]+)\"");
    private static final Pattern FENCED = Pattern.compile("(?ms)^\\s*```.*?^\\s*```$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{N} _-]");

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (String place : List.of("clients", "docs", "loadtest", "samples")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(place))) {
                files.filter(file -> file.toString().endsWith(".md"))
                        .filter(file -> !file.toString().matches(".*/(target|src|node_modules)/.*"))
                        .forEach(pages::add);
            }
        }
        try (Stream<Path> files = Files.list(ROOT)) {
            files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
        }
        return pages;
    }

    private static List<String> links(String page) {
        List<String> links = new ArrayList<>();
        for (Matcher link = LINK.matcher(withoutCode(page)); link.find(); ) {
            String target = link.group(1) == null ? link.group(2) : link.group(1);
            if (!target.matches("(https?|mailto):.*")) {
                links.add(target);
            }
        }
        return links;
    }

    private static String withoutCode(String page) {
        return FENCED.matcher(page).replaceAll("").replaceAll("`[^`\n]*`", "");
    }

    /** As GitHub makes them: lower case, no punctuation, hyphens for blanks. */
    private static Set<String> anchors(String page) {
        Set<String> anchors = new HashSet<>();
        for (Matcher heading = HEADING.matcher(FENCED.matcher(page).replaceAll(""));
                heading.find(); ) {
            String text = heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1");
            String plain = NOT_IN_ANCHORS.matcher(text.toLowerCase(Locale.ROOT)).replaceAll("");
            anchors.add(plain.replace(' ', '-'));
        }
        return anchors;
    }

    /** What is wrong with a link; empty if nothing is. */
    private static String problem(Path page, String link) throws IOException {
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!Files.exists(target) || !target.startsWith(ROOT)) {
            return "no such file";
        }
        boolean hasAnchor = hash >= 0 && target.toString().endsWith(".md");
        return hasAnchor && !anchors(Files.readString(target)).contains(link.substring(hash + 1))
                ? "no such heading"
                : "";
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (String link : links(Files.readString(page))) {
                links++;
                String problem = problem(page, link);
                if (!problem.isEmpty()) {
                    broken.add(ROOT.relativize(page) + ": " + link + ": " + problem);
                }
            }
        }
        assertThat(links).isGreaterThan(200);
        assertThat(broken).isEmpty();
    }

    @Test
    void theStartPageNamesEveryPageBesideIt() throws IOException {
        Path start = ROOT.resolve("docs/README.md");
        Set<Path> named = new HashSet<>();
        for (String link : links(Files.readString(start))) {
            named.add(start.resolveSibling(link).normalize());
        }
        try (Stream<Path> files = Files.list(start.getParent())) {
            assertThat(files.filter(file -> file.toString().endsWith(".md")))
                    .filteredOn(file -> !file.equals(start))
                    .isSubsetOf(named);
        }
    }
}
