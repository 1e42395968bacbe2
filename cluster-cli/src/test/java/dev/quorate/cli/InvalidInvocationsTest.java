package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * An invalid invocation prints one line on standard error and none on standard output, exits with
 * the code of docs/command-line.md, and changes nothing.
 */
final class InvalidInvocationsTest {

    @TempDir private Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void prepare() throws IOException {
        Files.writeString(folder.resolve("text"), "no export\n");
        Files.writeString(folder.resolve("bad.properties"), "prod.uri=x\n");
        Files.writeString(
                folder.resolve("clusters.properties"), "prod.url=127.0.0.1:1\nempty.ca=ca.pem\n");
        Files.createDirectory(folder.resolve("empty"));
    }

    private int run(String line) {
        String file = line.contains("BAD-FILE ") ? "bad.properties" : "clusters.properties";
        CommandLine commandLine =
                Main.commandLine(
                        (options, fatal) -> {
                            throw new IllegalStateException("No node is started.");
                        },
                        Map.of("QUORATE_CLUSTERS", folder.resolve(file).toString()));
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        String[] words =
                line.replace("BAD-FILE ", "").replace("DIR", folder.toString()).split(" ", -1);
        return commandLine.execute(words);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(Path::toString).sorted().toList();
        }
    }

    /** The words, the exit code, and a part of the sentence. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    statsu                                              | 2 | Did you mean status
                    membr list                                          | 2 | Did you mean member
                    member lst                                          | 2 | Did you mean list
                    member                                              | 2 | quorate member --help
                    token                                               | 2 | quorate token --help
                    topology                                            | 2 | quorate topology --help
                    --unknown                                           | 2 | Unknown option '--unknown'
                    get                                                 | 2 | 'KEY'
                    get a b                                             | 2 | Unknown argument 'b'
                    get a --jsn                                         | 2 | Did you mean --json
                    get a --url                                         | 2 | --url
                    get a --url ftp://x:1                               | 2 | is not a URL
                    get a --url localhost                               | 2 | is not a URL
                    get a --url http://127.0.0.1:1 --timeout x          | 2 | --timeout=x
                    get a --url http://127.0.0.1:1 --timeout 0          | 2 | --timeout=0
                    get a --url http://127.0.0.1:1 --replicas 3/2       | 2 | 3/2
                    get a --url http://127.0.0.1:1 --replicas two       | 2 | --replicas is ACK/FROM
                    get %zz --encoded --url http://127.0.0.1:1          | 2 | hexadecimal
                    get a --cluster nowhere                             | 2 | no key 'nowhere.url'
                    get a --cluster empty                               | 2 | no key 'empty.url'
                    BAD-FILE get a --cluster prod                       | 2 | prod.uri
                    get a --url http://127.0.0.1:1 --token-file DIR/none | 2 | DIR/none
                    get a --url https://127.0.0.1:1 --ca DIR/text       | 2 | DIR/text
                    get a --data DIR/empty                              | 3 | No cluster is running
                    get a --explain --data DIR/empty                    | 3 | No cluster is running
                    put a v --url http://127.0.0.1:1 --ttl x            | 2 | --ttl=x
                    put a v --url http://127.0.0.1:1 --file DIR/text    | 2 | not both
                    put a --url http://127.0.0.1:1 --file DIR/none      | 2 | DIR/none does not exist
                    put a v --if-absent --if-match * --url 127.0.0.1:1  | 2 | not both
                    put a v --if-match new --url 127.0.0.1:1            | 2 | --if-match is a version
                    put a v --write-version new --url 127.0.0.1:1       | 2 | --write-version is a version
                    delete                                              | 2 | 'KEY'
                    delete a --if-match new --url 127.0.0.1:1           | 2 | --if-match is a version
                    scan a --url 127.0.0.1:1                            | 2 | Unknown argument 'a'
                    scan --prefix a --start b --url 127.0.0.1:1         | 2 | prefix excludes
                    scan --limit 0 --url 127.0.0.1:1                    | 2 | --limit
                    scan --prefix %z --encoded --url 127.0.0.1:1        | 2 | hexadecimal
                    status --data DIR/empty                             | 3 | No cluster is running
                    events --since 3                                    | 2 | Unknown option '--since'
                    export --resume --url 127.0.0.1:1                   | 2 | --resume needs --file
                    export --file DIR/text --url 127.0.0.1:1            | 2 | already exists
                    import --file DIR/text --skip x --url 127.0.0.1:1   | 2 | --skip
                    import --file DIR/none --url 127.0.0.1:1            | 2 | DIR/none does not exist
                    checkpoint UPPER --url 127.0.0.1:1                  | 2 | NAME is needed
                    log-level loud --url 127.0.0.1:1                    | 2 | LEVEL is one of
                    backup --url 127.0.0.1:1                            | 2 | FOLDER is needed
                    restore DIR/empty --key a --merge                   | 2 | --key goes with neither
                    why a --data DIR/empty                              | 2 | No node is running
                    why a --url localhost                               | 2 | is not a URL
                    repair --data DIR/empty                             | 1 | No node is running
                    stop                                                | 2 | 'NODE'
                    stop n1 --data DIR/empty                            | 1 | no cluster
                    logs --lines x --data DIR/empty                     | 2 | 'x' is not an int
                    logs --lines 5000 --data DIR/empty                  | 1 | --lines
                    up --nodes many                                     | 2 | 'many' is not an int
                    restart --data DIR/empty                            | 2 | '--rolling'
                    token add --file DIR/tokens                         | 2 | '--role=ROLE'
                    token add --role king --file DIR/tokens             | 1 | --role is read, write or admin
                    token list --file DIR/none                          | 1 | DIR/none
                    verify                                              | 2 | 'DIR'
                    verify DIR/none                                     | 2 | DIR/none does not exist
                    salvage DIR/empty                                   | 2 | holds no store
                    topology force DIR/empty                            | 2 | '--without=NAME,NAME'
                    node --topology n1=http://localhost:1 --prt 3       | 2 | --prt
                    node stray                                          | 2 | 'stray'
                    completion ksh                                      | 2 | bash, zsh or fish
                    """)
    void oneSentenceSaysWhatIsWrong(String line, int exit, String part) throws IOException {
        List<String> before = files();
        assertThat(run(line)).as("%s", err).isEqualTo(exit);
        assertThat(err.toString().strip())
                .as(line)
                .contains(part.replace("DIR/", folder + "/"))
                .hasLineCount(1)
                .doesNotContain("Exception");
        assertThat(out.toString()).as(line).isEmpty();
        assertThat(files()).as(line).isEqualTo(before);
        assertThat(Path.of(".quorate")).doesNotExist();
    }

    @Test
    void inJsonAFailureIsAProblem() {
        assertThat(run("get a --url 127.0.0.1:1 --json")).isEqualTo(3);
        assertThat(run("get a --jsn --json")).isEqualTo(2);
        assertThat(err.toString().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).startsWith("{\"type\":\"about:blank\""))
                .satisfiesExactly(
                        line -> assertThat(line).endsWith(",\"exit\":3}"),
                        line -> assertThat(line).contains("Did you mean --json?"));
    }
}
