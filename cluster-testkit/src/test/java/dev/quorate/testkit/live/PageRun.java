package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.Command;
import dev.quorate.cli.process.CommandException;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.testkit.page.Block;
import dev.quorate.testkit.page.Note;
import dev.quorate.testkit.page.Page;
import dev.quorate.testkit.page.PageShell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

/**
 * Runs the commands of a page in one shell, in an empty folder with links to what a copy of the
 * sources has. Everything is as printed but for ports: 8080 and so on, and 8180 and so on, become
 * free ones. Clusters that the page has left running are stopped at the end.
 */
final class PageRun implements AutoCloseable {

    static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration REPEATED = Duration.ofSeconds(60);
    private static final List<String> SOURCES =
            List.of("quorate", ".mvn", "cluster-cli", "deploy", "docs");

    /** Nodes at 8080, and nodes at 8180. */
    private static final int PORTS = 16;

    /** A server in the foreground, as a reader has it in another terminal. */
    private static final Pattern FOREGROUND =
            Pattern.compile(".*/quorate (up(?!.*--detach)|node (?!.*--print-config)).*");

    private static final Pattern UP = Pattern.compile("\\./quorate up(?!.* --port)(?=[ \n]|$)");

    /** What the launcher prints while it builds. */
    private static final Pattern BUILDS = Pattern.compile("(?m)^quorate: .*\n");

    private final Page page;
    private final Path working;
    private final PageShell shell;
    private final int port = ProcessCluster.freePorts(PORTS);
    private final Map<String, String> replaced = new LinkedHashMap<>();

    /**
     * A page of which nothing has run.
     *
     * @param name from the root of the sources, such as {@code docs/http.md}
     */
    PageRun(String name, Path scratch) throws IOException {
        if (Command.find("curl", System.getenv("PATH")).isEmpty()) {
            System.out.println("SKIPPED: the pages need curl");
            Assumptions.abort("Skipped: the pages need curl.");
        }
        page = Page.parse(Files.readString(ROOT.resolve(name)));
        working = Files.createDirectory(scratch.resolve("page"));
        for (String source : SOURCES) {
            Files.createSymbolicLink(working.resolve(source), ROOT.resolve(source));
        }
        shell = new PageShell(working, scratch.resolve("shell"));
    }

    Page page() {
        return page;
    }

    /** Where its commands run. */
    Path working() {
        return working;
    }

    /** Replaces a text in all that follows, such as the name of a machine. */
    PageRun with(String text, String replacement) {
        replaced.put(text, replacement);
        return this;
    }

    /** The text of a page, for this run. */
    String here(String text) {
        String here = text;
        for (Map.Entry<String, String> each : replaced.entrySet()) {
            here = here.replace(each.getKey(), each.getValue());
        }
        for (int node = 0; node < PORTS / 2; node++) {
            here = here.replaceAll("\\b808" + node + "\\b", "" + (port + node));
            here = here.replaceAll("\\b818" + node + "\\b", "" + (port + PORTS / 2 + node));
        }
        return here;
    }

    /** Runs commands that are not on the page, and must not fail; returns what they print. */
    String prepare(String commands) throws CommandException {
        PageShell.Result result = shell.run(script(commands), LIMIT);
        assertThat(result.failed()).as("%s%n%s", commands, result.output()).isEmpty();
        return result.output();
    }

    /** Runs commands that are not on the page, and may fail; returns what they print. */
    String output(String commands) {
        try {
            return printed(shell.run(script(commands), LIMIT));
        } catch (CommandException e) {
            throw new AssertionError(e);
        }
    }

    private static String printed(PageShell.Result result) {
        return BUILDS.matcher(result.output().replace("\r\n", "\n")).replaceAll("");
    }

    /** Runs all commands of the page. */
    void all() throws CommandException {
        for (Block block : page.run()) {
            var _ = run(block);
        }
    }

    /** Runs the commands of one section. */
    void section(String heading) throws CommandException {
        List<Block> blocks = page.run(heading);
        assertThat(blocks).as(heading).isNotEmpty();
        for (Block block : blocks) {
            var _ = run(block);
        }
    }

    /**
     * Runs a block, which must print what the page says; where the page says nothing, no command
     * fails. Returns what it printed.
     */
    String run(Block block) throws CommandException {
        if (FOREGROUND.matcher(block.text().lines().reduce("", (_, last) -> last)).matches()) {
            return inBackground(block);
        }
        if (block.note() instanceof Note.Repeated) {
            Awaitility.await()
                    .atMost(REPEATED)
                    .ignoreExceptionsMatching(CommandException.class::isInstance)
                    .untilAsserted(() -> once(block));
        }
        return once(block);
    }

    private String once(Block block) throws CommandException {
        PageShell.Result result = shell.run(script(block.text()), LIMIT);
        String printed = printed(result);
        String what = "line " + block.line() + ": " + block.text();
        if (block.output().isPresent()) {
            assertThat(printed).as(what).matches(Block.expected(here(block.output().get())));
        } else {
            assertThat(result.failed()).as("%s%n%s", what, printed).isEmpty();
        }
        return printed;
    }

    private String inBackground(Block block) throws CommandException {
        String log = "foreground-" + block.line();
        shell.run(script(block.text().stripTrailing()) + " >>" + log + " 2>&1 &\n", LIMIT);
        if (block.text().contains("quorate up")) {
            Awaitility.await()
                    .atMost(LIMIT)
                    .until(() -> shell.run("./quorate status\n", LIMIT).failed().isEmpty());
        }
        return "";
    }

    private String script(String text) {
        return UP.matcher(here(text)).replaceAll("./quorate up --port " + port);
    }

    @Override
    public void close() throws CommandException {
        shell.close();
        SOURCES.forEach(source -> working.resolve(source).toFile().delete());
        try (Stream<Path> folders = Files.list(working)) {
            for (Path data : folders.toList()) {
                if (Files.exists(data.resolve("cluster.properties"))) {
                    Command down = new Command(working.resolve("down.out"));
                    String quorate = ROOT.resolve("quorate") + "";
                    down.run(List.of(quorate, "down", "--data", data + ""), LIMIT);
                }
            }
        } catch (IOException e) {
            throw new CommandException("Clusters in " + working + " may still run: " + e, e);
        }
    }
}
