package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An independent program makes requests from the description of the API, valid ones and others, and
 * judges the answers of three real nodes by it. Skipped where the program is not installed ({@code
 * pip install schemathesis}; {@code -Dquorate.schemathesis=PATH} names it elsewhere).
 */
final class SchemathesisIT {

    private static final int MAX_SECONDS = 100;

    /** 501, 503 and 504 are answers; 500 is a bug. */
    private static final String CONFIGURATION =
            """
            hooks = "hooks.py"

            [checks.not_a_server_error]
            expected-statuses = ["2xx", "3xx", "4xx", 501, 503, 504, 505]
            """;

    /** A batch of one line, or of what the program makes of it; and short waits. */
    private static final String HOOKS =
            """
            import json
            import re

            import schemathesis


            @schemathesis.serializer("application/x-ndjson")
            def lines(ctx, value):
                return value if isinstance(value, bytes) else json.dumps(value).encode()


            @schemathesis.hook
            def map_query(ctx, query):
                if query and re.fullmatch("[0-9]+(ms|s)", str(query.get("wait", ""))):
                    query["wait"] = "2ms"
                return query
            """;

    @TempDir Path data;
    private NodesInOneProcess nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new NodesInOneProcess(data, 3);
    }

    @AfterEach
    void stop() {
        nodes.close();
    }

    /** Where it is installed. */
    private static Path program() {
        String given = System.getProperty("quorate.schemathesis");
        String[] folders =
                String.valueOf(System.getenv("PATH")).split(Pattern.quote(File.pathSeparator), -1);
        List<Path> places =
                given != null
                        ? List.of(Path.of(given))
                        : List.of(folders).stream()
                                .map(folder -> Path.of(folder, "schemathesis"))
                                .toList();
        return places.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .orElseGet(
                        () ->
                                Assumptions.abort(
                                        "Skipped: schemathesis is not installed (pip install"
                                                + " schemathesis, or -Dquorate.schemathesis=PATH)."));
    }

    @Test
    void noAnswerIsUndocumented() throws Exception {
        Path program = program();
        Path configuration = data.resolve("schemathesis.toml");
        Files.writeString(configuration, CONFIGURATION);
        Files.writeString(data.resolve("hooks.py"), HOOKS);
        Path output = data.resolve("output");
        Process process =
                new ProcessBuilder(
                                program.toString(),
                                "--config-file",
                                configuration.toString(),
                                "run",
                                nodes.url(1) + "/openapi.json",
                                "--checks",
                                "not_a_server_error,status_code_conformance,content_type_conformance,"
                                        + "response_headers_conformance,response_schema_conformance,"
                                        + "allow_header_conformance",
                                "--phases",
                                "examples,coverage,fuzzing",
                                "--max-examples",
                                "40",
                                "--seed",
                                "1",
                                // Its answer has no end.
                                "--exclude-path",
                                "/admin/console/stream",
                                // Python 3.11 counts the depth of all threads' parsers together.
                                "--workers",
                                "1",
                                "--no-color")
                        .directory(data.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            assertThat(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).as(text(output)).isTrue();
            assertThat(process.exitValue()).as(text(output)).isZero();
            assertThat(text(output)).contains("Test cases:").doesNotContain("Failures:");
        } finally {
            process.destroyForcibly();
        }
    }

    private static String text(Path output) throws IOException {
        return Files.readString(output);
    }
}
