package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.page.Block;
import dev.quorate.harness.page.Note;
import dev.quorate.harness.page.Page;
import dev.quorate.harness.page.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each block of each page is run by a test, or says why not. */
final class DocumentedBlocksTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    /** A shorter one says nothing about this block. */
    private static final int LEAST_REASON = 20;

    @Test
    void everyBlockIsRunOrSaysWhyNot() throws IOException {
        List<String> wrong = new ArrayList<>();
        int run = 0;
        for (Map.Entry<String, Page> each : Pages.all(ROOT).entrySet()) {
            Page page = each.getValue();
            String name = each.getKey();
            about(page.note(), name).ifPresent(problem -> wrong.add(name + ": " + problem));
            for (Block block : page.blocks()) {
                Optional<String> problem = problem(page, name, block);
                problem.ifPresent(text -> wrong.add(name + ":" + block.line() + ": " + text));
                run += problem.isEmpty() && block.isRun() ? 1 : 0;
            }
        }
        assertThat(wrong).as("see docs/testing.md#pages").isEmpty();
        assertThat(run).isGreaterThan(45);
    }

    private static Optional<String> problem(Page page, String name, Block block)
            throws IOException {
        if (block.hasCommands() && block.text().startsWith("$ ")) {
            return Optional.of("commands begin without $, and their output is a block of text");
        }
        boolean isOfItsPage = page.note() instanceof Note.RunBy && block.hasCommands();
        return switch (block.note()) {
            case Note.None() when page.note() instanceof Note.NotRun || isOfItsPage ->
                    Optional.empty();
            case Note.None() ->
                    Optional.of("no test runs it, and it does not say why: " + block.language());
            case Note.Repeated(String _) when !isOfItsPage -> Optional.of("no test runs this page");
            case Note.Repeated(String reason) -> about(new Note.NotRun(reason), name);
            case Note.NotRun _, Note.RunBy _ -> about(block.note(), name);
        };
    }

    /** What is wrong with a note; empty if nothing. */
    private static Optional<String> about(Note note, String page) throws IOException {
        return switch (note) {
            case Note.None(), Note.Repeated _ -> Optional.empty();
            case Note.NotRun(String reason) ->
                    reason.length() < LEAST_REASON
                            ? Optional.of("that is no reason: " + reason)
                            : Optional.empty();
            case Note.RunBy(String test) ->
                    readsPage(test, page)
                            ? Optional.empty()
                            : Optional.of("there is no test " + test + " that reads " + page);
        };
    }

    private static boolean readsPage(String test, String page) throws IOException {
        for (String module : List.of("cluster-testkit", "cluster-cli", "cluster-node")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
                Optional<Path> source =
                        files.filter(file -> file.endsWith(test + ".java")).findFirst();
                if (source.isPresent() && Files.readString(source.get()).contains(page)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void whatIsNotRunIsNoticed() throws IOException {
        assertThat(problems("#\n\n```bash\nls\n```\n")).hasSize(1);
        assertThat(problems("#\n\n```\nls\n```\n")).hasSize(1);
        assertThat(problems("#\n<!-- run by: PagesIT -->\n\n```bash\n$ ls\n```\n")).hasSize(1);
        assertThat(problems("#\n\n<!-- not run: long -->\n```bash\nls\n```\n")).hasSize(1);
        assertThat(problems("#\n\n<!-- run by: NoSuchIT -->\n```bash\nls\n```\n")).hasSize(1);
        assertThat(problems("#\n<!-- run by: PagesIT -->\n\n```java\nclass A {}\n```\n"))
                .hasSize(1);
        assertThat(problems("#\n<!-- run by: PagesIT -->\n\n```bash\nls\n```\n")).isEmpty();
        assertThat(problems("#\n\n<!-- not run: it needs a printer here -->\n```bash\nlpr\n```\n"))
                .isEmpty();
    }

    private static List<String> problems(String text) throws IOException {
        Page page = Page.parse(text);
        List<String> problems = new ArrayList<>();
        for (Block block : page.blocks()) {
            problem(page, "docs/http.md", block).ifPresent(problems::add);
        }
        return problems;
    }
}
