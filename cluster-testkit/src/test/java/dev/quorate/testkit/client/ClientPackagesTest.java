package dev.quorate.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.Command;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.WriteOptions;
import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.page.Block;
import dev.quorate.testkit.page.Page;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The clients in Python and TypeScript: their types, their own tests, also against three nodes of
 * which one is killed, and the programs of the pages. Skipped where a language is missing.
 */
final class ClientPackagesTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final Path PYTHON = ROOT.resolve("clients/python");
    private static final Path TYPESCRIPT = ROOT.resolve("clients/typescript");
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String END_OF_BLOCK = "-- end of block --";

    @TempDir Path scratch;

    // ---- programs

    /** What a program printed, and its exit status; -1 if it did not end in time. */
    private record Run(int exit, String output) {

        String success() {
            assertThat(exit).as(output).isZero();
            return output;
        }
    }

    private Run run(Path folder, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(scratch, "program", ".out");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            boolean hasEnded = process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return new Run(hasEnded ? process.exitValue() : -1, Files.readString(output));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static boolean isInstalled(String program) {
        return Command.find(program, System.getenv("PATH")).isPresent();
    }

    private static void require(boolean isThere, String what) {
        if (!isThere) {
            System.out.println("SKIPPED: " + what);
        }
        Assumptions.assumeTrue(isThere, what);
    }

    // ---- clusters

    private static Map<String, String> environment(QuorateCluster cluster) {
        String urls =
                cluster.nodes().stream().map(node -> node.url()).collect(Collectors.joining(","));
        return Map.of("QUORATE_NODES", urls, "QUORATE_KILLS", "1", "PYTHONPATH", "" + PYTHON);
    }

    /** Kills the first node when a test asks for it in the middle of its increments. */
    private static Thread killer(QuorateCluster cluster, String language) {
        return Thread.ofVirtual()
                .start(
                        () -> {
                            List<URI> others =
                                    Stream.of(2, 3).map(cluster::url).map(URI::create).toList();
                            try (QuorateClient client =
                                    QuorateClient.builder().nodes(others).build()) {
                                String key = "kill/" + language;
                                if (client.await(key, null, LIMIT).isChanged()) {
                                    cluster.node(1).kill();
                                    client.put(
                                            Key.of(key),
                                            "done".getBytes(StandardCharsets.UTF_8),
                                            WriteOptions.DEFAULT.deadline(LIMIT));
                                }
                            }
                        });
    }

    // ---- pages

    private static List<Block> blocks(String page, String language) throws IOException {
        List<Block> blocks =
                Page.parse(Files.readString(ROOT.resolve(page))).blocks().stream()
                        .filter(block -> block.language().equals(language))
                        .toList();
        assertThat(blocks).as(page).isNotEmpty();
        return blocks;
    }

    private static String here(String text, QuorateCluster cluster) {
        String here = text;
        for (int node = 1; node <= 3; node++) {
            here = here.replace("http://localhost:" + (8079 + node), cluster.url(node));
        }
        assertThat(here).doesNotContain("localhost");
        return here;
    }

    /** Runs all blocks of a page as one program, and compares what each prints. */
    private void pythonOf(String page, Path packages, QuorateCluster cluster) throws Exception {
        List<Block> blocks = blocks(page, "python");
        StringBuilder program = new StringBuilder();
        for (Block block : blocks) {
            program.append(block.text()).append("print('" + END_OF_BLOCK + "')\n");
        }
        Path file = Files.createTempFile(scratch, "page", ".py");
        Files.writeString(file, here(program.toString(), cluster));
        Map<String, String> environment = Map.of("PYTHONPATH", packages.toString());
        String output = run(scratch, environment, List.of("python3", file.toString())).success();
        String[] printed = output.split(Pattern.quote(END_OF_BLOCK) + "\n", -1);
        assertThat(printed).as(output).hasSize(blocks.size() + 1);
        for (int i = 0; i < blocks.size(); i++) {
            assertThat(printed[i])
                    .as("%s, line %d", page, blocks.get(i).line())
                    .isEqualTo(blocks.get(i).output().orElse(""));
        }
    }

    // ---- Python

    private void requirePython() throws Exception {
        String version = "import sys, ssl; sys.exit(sys.version_info < (3, 9))";
        boolean isThere =
                isInstalled("python3")
                        && run(scratch, Map.of(), List.of("python3", "-c", version)).exit() == 0;
        require(isThere, "the client for Python needs python3 3.9 or newer");
    }

    @Test
    void python() throws Exception {
        requirePython();
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            pythonOf("docs/client.md", PYTHON, cluster);
            pythonOf("docs/recipes.md", PYTHON, cluster);
            Thread killer = killer(cluster, "python");
            List<String> tests =
                    List.of("python3", "-B", "-m", "unittest", "discover", "-s", "tests");
            String output = run(PYTHON, environment(cluster), tests).success();
            assertThat(output)
                    .doesNotContain("names no cluster")
                    .containsPattern("Ran \\d\\d test");
            killer.join();
            assertThat(cluster.node(1).isUp()).isFalse();
            pythonOf("docs/client.md", PYTHON, cluster);
        }
    }

    @Test
    void typesOfPython() throws Exception {
        require(isInstalled("mypy"), "mypy is not installed (pip install mypy)");
        String cache = "--cache-dir=" + Path.of("target", "mypy").toAbsolutePath();
        run(PYTHON, Map.of(), List.of("mypy", "--strict", cache)).success();
    }

    // ---- TypeScript

    /** Compiles the client and its tests in a folder below target, which must be without errors. */
    private Path compiled() throws Exception {
        Path folder = Path.of("target", "typescript").toAbsolutePath();
        Files.createDirectories(folder.resolve("src"));
        Files.createDirectories(folder.resolve("test"));
        try (Stream<Path> files = Files.walk(TYPESCRIPT)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = TYPESCRIPT.relativize(file).toString();
                if (name.matches("(src/|test/)?[^/]+")) {
                    Files.write(folder.resolve(name), Files.readAllBytes(file));
                }
            }
        }
        Path compiler = folder.resolve("node_modules/typescript/lib/tsc.js");
        if (!Files.exists(compiler)) {
            List<String> install =
                    List.of("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund");
            Run npm = run(folder, Map.of(), install);
            require(
                    npm.exit() == 0 && Files.exists(compiler),
                    "TypeScript cannot be had by npm: " + npm.output().lines().limit(3).toList());
        }
        run(folder, Map.of(), List.of("node", compiler.toString(), "-p", ".")).success();
        return folder;
    }

    @Test
    void typescript() throws Exception {
        String fetch = "process.exit(globalThis.fetch ? 0 : 1)";
        boolean isThere =
                isInstalled("npm")
                        && isInstalled("node")
                        && run(scratch, Map.of(), List.of("node", "-e", fetch)).exit() == 0;
        require(isThere, "the client for TypeScript needs npm, and Node.js 18 or newer");
        Path folder = compiled();
        Block example = blocks("docs/client.md", "typescript").getFirst();
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            Path program = folder.resolve("example.mjs");
            Files.writeString(program, here(example.text(), cluster));
            List<String> run = List.of("node", program.toString());
            assertThat(run(folder, Map.of(), run).success()).isEqualTo(example.output().get());
            Thread killer = killer(cluster, "typescript");
            List<String> tests =
                    List.of(
                            "node",
                            "--test",
                            "dist/test/rules.test.js",
                            "dist/test/cluster.test.js");
            String output = run(folder, environment(cluster), tests).success();
            assertThat(output).contains("pass ").doesNotContain("names no cluster");
            killer.join();
            assertThat(cluster.node(1).isUp()).isFalse();
            assertThat(run(folder, Map.of(), run).success()).isEqualTo(example.output().get());
        }
    }
}
