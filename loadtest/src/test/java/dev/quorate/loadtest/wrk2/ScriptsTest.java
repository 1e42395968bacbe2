package dev.quorate.loadtest.wrk2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quorate.cli.process.Command;
import dev.quorate.loadtest.StubServer;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every load script against a server that knows what it was asked, with wrk or wrk2. */
class ScriptsTest {

    private static final Path RUN =
            Path.of(System.getProperty("quorate.root", ".."), "loadtest", "wrk2", "run");
    private static final int CONNECTIONS = 8;
    private static final Pattern LAST_LINE =
            Pattern.compile("Unexpected answers: (\\d+) of (\\d+) \\(expected (.*)\\)");

    @TempDir private Path folder;

    private record Result(int exit, List<String> lines) {

        private Matcher lastLine() {
            Matcher matcher = LAST_LINE.matcher(lines.getLast());
            assertThat(matcher.matches()).as("%s", lines).isTrue();
            return matcher;
        }

        int unexpected() {
            return Integer.parseInt(lastLine().group(1));
        }

        int answers() {
            return Integer.parseInt(lastLine().group(2));
        }
    }

    private static void assumeWrk() {
        boolean found = find("wrk").or(() -> find("wrk2")).isPresent();
        if (!found) {
            System.out.println("Skipped: neither wrk2 nor wrk is on the PATH.");
        }
        assumeTrue(found, "neither wrk2 nor wrk is on the PATH");
    }

    private Result load(String operation, StubServer server, String... options) throws Exception {
        List<String> arguments = new ArrayList<>();
        arguments.add(operation);
        // Of its first second, wrk2 takes most to make its threads.
        String duration = Command.find("wrk2", System.getenv("PATH")).isPresent() ? "3s" : "1s";
        arguments.addAll(List.of("--url", server.url(), "--duration", duration));
        arguments.addAll(List.of("--connections", "" + CONNECTIONS, "--rate", "2000"));
        arguments.addAll(List.of(options));
        return run(System.getenv("PATH"), arguments);
    }

    private Result run(String path, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", RUN.toString()));
        command.addAll(arguments);
        Path output = folder.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().put("PATH", path);
        Process process = builder.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        return new Result(process.waitFor(), Files.readAllLines(output, UTF_8));
    }

    @ParameterizedTest
    @CsvSource({
        "put,    201",
        "get,    '200, or 404 for an absent key'",
        "delete, 202",
        "mix,    'GET 200 or 404, PUT 201, DELETE 202'"
    })
    void findsNoErrorsOfACorrectServer(String operation, String expected) throws Exception {
        assumeWrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            Result result = load(operation, server, "--replicas", "2/3", "--keys", "500");
            assertThat(result.exit()).as("%s", result.lines()).isZero();
            assertThat(result.unexpected()).isZero();
            assertThat(result.lastLine().group(3)).isEqualTo(expected);
            // What was under way at the end is not counted.
            assertThat(result.answers())
                    .isPositive()
                    .isBetween(server.requests() - CONNECTIONS, server.requests());
            assertThat(server.queries()).containsExactly("id=wrk%3AN&replicas=2/3");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "get", "delete", "mix"})
    void countsTheAnswersOfABadServer(String operation) throws Exception {
        assumeWrk();
        try (StubServer server =
                new StubServer(
                        (method, number, known) ->
                                number % 10 == 0
                                        ? 504
                                        : StubServer.GOOD.status(method, number, known))) {
            Result result = load(operation, server);
            assertThat(result.exit()).as("%s", result.lines()).isEqualTo(1);
            assertThat(result.unexpected())
                    .isPositive()
                    .isBetween(server.answers(504) - CONNECTIONS, server.answers(504));
            assertThat(server.queries()).containsExactly("id=wrk%3AN");
        }
    }

    /** Statuses that are no errors to wrk, and yet not those of the contract. */
    @ParameterizedTest
    @CsvSource({"put, 200", "put, 202", "get, 204", "get, 201", "delete, 200", "delete, 404"})
    void doesNotTakeAnotherSuccessForTheExpectedOne(String operation, int status) throws Exception {
        assumeWrk();
        try (StubServer server = new StubServer((_, _, _) -> status)) {
            Result result = load(operation, server, "--rate", "200");
            assertThat(result.exit()).isEqualTo(1);
            assertThat(result.unexpected()).isPositive().isEqualTo(result.answers());
        }
    }

    @Test
    void noticesInAMixThatOneKindOfRequestGetsTheAnswersOfAnother() throws Exception {
        assumeWrk();
        try (StubServer server =
                new StubServer((method, _, _) -> method.equals("DELETE") ? 202 : 200)) {
            Result result = load("mix", server);
            assertThat(result.exit()).isEqualTo(1);
            assertThat(result.unexpected()).isGreaterThan(result.answers() / 4);
        }
    }

    @Test
    void putsEachKeyOnceAndReadsThemBack() throws Exception {
        assumeWrk();
        int keys = 200;
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            Result put = load("put", server, "--keys", "" + keys, "--value-bytes", "300");
            assertThat(put.exit()).as("%s", put.lines()).isZero();
            assertThat(server.putsByKey()).containsOnly(1);
            assertThat(server.differentBodies()).isEqualTo(server.requests());
            assertThat(server.bodyLengths()).containsExactly(300);
            for (int key = 0; key < keys; key++) {
                assertThat(server.keysPut()).contains("id=wrk%%3A%08d".formatted(key));
            }
            Result get = load("get", server, "--keys", "" + keys);
            assertThat(get.exit()).isZero();
            assertThat(get.lines()).contains("GET: %d found, 0 absent".formatted(get.answers()));
        }
    }

    @Test
    void countsAbsentKeysApart() throws Exception {
        assumeWrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            Result get = load("get", server);
            assertThat(get.exit()).isZero();
            assertThat(get.lines()).contains("GET: 0 found, %d absent".formatted(get.answers()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "mix"})
    void overwritesWhenAskedTo(String operation) throws Exception {
        assumeWrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            Result result =
                    load(operation, server, "--overwrite", "--keys", "20", "--value-bytes", "20");
            assertThat(result.exit()).as("%s", result.lines()).isZero();
            assertThat(server.keysPut()).hasSizeLessThanOrEqualTo(20);
            assertThat(server.putsByKey()).allMatch(count -> count > 1);
            assertThat(server.bodyLengths()).containsExactly(20);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void sendsTheSmallestValuesToo(int bytes) throws Exception {
        assumeWrk();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            Result result = load("put", server, "--value-bytes", "" + bytes);
            assertThat(result.exit()).as("%s", result.lines()).isZero();
            assertThat(server.bodyLengths()).containsExactly(bytes);
        }
    }

    @Test
    void sendsTheSameRequestsAgain() throws Exception {
        assumeWrk();
        try (StubServer first = new StubServer(StubServer.GOOD);
                StubServer second = new StubServer(StubServer.GOOD)) {
            load("put", first, "--overwrite", "--keys", "50");
            load("put", second, "--overwrite", "--keys", "50");
            assertThat(first.keysPut()).isEqualTo(second.keysPut());
        }
    }

    @Test
    void failsWhereNobodyListens() throws Exception {
        assumeWrk();
        StubServer server = new StubServer(StubServer.GOOD);
        server.close();
        assertThat(load("put", server).exit()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "post                           | the operation must be put, get, delete or mix",
                "put --replicas 2               | --replicas must be ack/from",
                "put --replicas 2/3/4           | --replicas must be ack/from",
                "put --replicas +2/3            | --replicas must be ack/from",
                "put --replicas /               | --replicas must be ack/from",
                "put --value-bytes -1           | --value-bytes must be a number from 0",
                "put --value-bytes 16777217     | --value-bytes must be a number from 0",
                "put --value-bytes 99999999999  | --value-bytes must be a number from 0",
                "put --keys 0                   | --keys must be a number from 1",
                "put --keys many                | --keys must be a number from 1",
                "put --keys 1 --threads 2       | --keys must be at least --threads",
                "put --connections 1            | --connections must be at least --threads",
                "put --threads 0                | --threads must be a number from 1",
                "put --duration 0s              | --duration must be a time",
                "put --duration soon            | --duration must be a time",
                "put --rate 0                   | --rate must be a number from 1",
                "put --url localhost:8080       | --url must be http://host:port",
                "put --url http://a/b           | --url must be http://host:port and nothing else",
                "put --url                      | --url needs a value",
                "put --nonsense                 | there is no option '--nonsense'",
                "put --gets 5                   | --gets is for mix",
                "get --overwrite                | --overwrite is for put and mix",
                "delete --overwrite             | --overwrite is for put and mix",
                "mix --gets 60 --deletes 50     | more than 100 percent",
            })
    void refusesArgumentsThatMakeNoSense(String arguments, String sentence) throws Exception {
        Result result = run(System.getenv("PATH"), List.of(arguments.split(" ")));
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.lines())
                .singleElement()
                .asString()
                .startsWith("run: ")
                .contains(sentence);
    }

    @Test
    void reportsAMissingLoadGenerator() throws Exception {
        for (String tool : List.of("dirname", "cat")) {
            Path wrapper = folder.resolve(tool);
            Files.writeString(wrapper, "exec '" + find(tool).orElseThrow() + "' \"$@\"\n");
            assertThat(wrapper.toFile().setExecutable(true)).isTrue();
        }
        Result result = run(folder.toString(), List.of("put"));
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.lines())
                .singleElement()
                .asString()
                .contains("neither wrk2 nor wrk is on the PATH");
    }

    private static Optional<Path> find(String program) {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getenv("PATH"))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    @Test
    void explainsItself() throws Exception {
        Result result = run(System.getenv("PATH"), List.of("--help"));
        assertThat(result.exit()).isZero();
        assertThat(result.lines().getFirst()).startsWith("Usage: loadtest/wrk2/run");
    }
}
