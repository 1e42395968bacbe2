package dev.quorate.testkit.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All pages of the repository. Reports are left out: their text is made, and has no commands. */
public final class Pages {

    private static final List<String> PLACES = List.of("docs", "loadtest", "samples");

    private Pages() {}

    /**
     * The pages, by their paths from the root.
     *
     * @throws IllegalArgumentException for a page that cannot be parsed; the message names it
     */
    public static Map<String, Page> all(Path root) throws IOException {
        Map<String, Page> pages = new TreeMap<>();
        for (Path file : files(root)) {
            String name = root.relativize(file).toString().replace('\\', '/');
            try {
                pages.put(name, Page.parse(Files.readString(file)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
            }
        }
        return pages;
    }

    private static List<Path> files(Path root) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String place : PLACES) {
            try (Stream<Path> found = Files.walk(root.resolve(place))) {
                found.filter(file -> file.toString().endsWith(".md"))
                        .filter(file -> !file.toString().matches(".*/(target|src|reports)/.*"))
                        .forEach(files::add);
            }
        }
        try (Stream<Path> found = Files.list(root)) {
            found.filter(file -> file.toString().endsWith(".md")).forEach(files::add);
        }
        return files;
    }
}
