package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The shell scripts that people start Quorate with. */
final class LauncherTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    /** What a script may expect of any machine; above all, no Java. */
    private static final List<String> ORDINARY_TOOLS =
            List.of("bash", "env", "dirname", "basename", "readlink", "grep", "head", "tr", "find");

    @TempDir Path folder;

    private record Run(int exit, String output) {}

    private Run run(Map<String, String> environment, String... command) throws Exception {
        Path output = folder.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().remove("JAVA_HOME");
        builder.environment().putAll(environment);
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), Files.readString(output).strip());
    }

    private Path pathWithoutJava() throws IOException {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        for (String tool : ORDINARY_TOOLS) {
            for (String from : List.of("/bin", "/usr/bin")) {
                Path file = Path.of(from, tool);
                if (Files.exists(file)) {
                    Path wrapper =
                            Files.writeString(
                                    bin.resolve(tool), "#!/bin/sh\nexec " + file + " \"$@\"\n");
                    assertThat(wrapper.toFile().setExecutable(true)).isTrue();
                }
            }
        }
        return bin;
    }

    @ParameterizedTest
    @ValueSource(strings = {"quorate", "mvnw", ".mvn/find-jdk.sh", ".ci/run"})
    void everyScriptIsWellFormed(String script) throws Exception {
        assertThat(run(Map.of(), "bash", "-n", ROOT.resolve(script).toString()))
                .isEqualTo(new Run(0, ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"quorate", "mvnw", ".ci/run"})
    void everyScriptCanBeRun(String script) {
        assertThat(ROOT.resolve(script)).isExecutable();
    }

    @ParameterizedTest
    @CsvSource({"quorate,needs Java 25", "mvnw,needs a JDK 25 to build with"})
    void withoutJavaOneSentenceNamesWhatIsMissing(String script, String beginning)
            throws Exception {
        Map<String, String> environment =
                Map.of("PATH", pathWithoutJava().toString(), "FIND_JAVA_PLACES", "/nowhere/*");
        Run run = run(environment, ROOT.resolve(script).toString(), "--version");
        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.output()).startsWith(script + ": " + beginning).doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "help",
                "--help",
                "-h",
                "up --help",
                "get a --help",
                "get -h",
                "bench --help"
            })
    void helpBuildsNothing(String arguments) throws Exception {
        Path home = Files.createDirectories(folder.resolve("sources"));
        Path script = home.resolve("quorate");
        Files.copy(ROOT.resolve("quorate"), script, StandardCopyOption.COPY_ATTRIBUTES);
        Files.createDirectories(home.resolve(".mvn"));
        Files.copy(ROOT.resolve(".mvn/find-jdk.sh"), home.resolve(".mvn/find-jdk.sh"));
        Path mvnw = Files.writeString(home.resolve("mvnw"), "#!/bin/sh\necho built; exit 9\n");
        assertThat(mvnw.toFile().setExecutable(true)).isTrue();
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(arguments.isEmpty() ? List.of() : List.of(arguments.split(" ", -1)));
        Map<String, String> environment = Map.of("JAVA_HOME", System.getProperty("java.home"));
        Run run = run(environment, command.toArray(String[]::new));
        assertThat(run.output()).contains("built yet").doesNotContain("building");
        if (arguments.startsWith("bench")) {
            assertThat(run.output()).contains("./mvnw package").doesNotContain("quorate up");
        }
        assertThat(run.exit()).isZero();
        assertThat(run(environment, script.toString(), "up", "--", "--help").output())
                .contains("building");
    }

    private static CommandLine commandLine(StringWriter out) {
        CommandLine commandLine =
                Main.commandLine(
                        (_, _) -> {
                            throw new IllegalStateException("nothing is to start");
                        },
                        Map.of());
        return commandLine.setOut(new PrintWriter(out, true));
    }

    private Path completion(String shell) throws IOException {
        StringWriter out = new StringWriter();
        assertThat(commandLine(out).execute("completion", shell)).isZero();
        return Files.writeString(folder.resolve("completion." + shell), out.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "quorate sta, status start",
        "quorate stop '', n1 n12",
        "quorate stop n12, n12",
        "quorate get --linea, --linearizable",
        "quorate token add --role '', read write admin",
        "quorate log-level de, debug",
        "quorate put --replicas 2, 2/3",
        "quorate member st, status"
    })
    void bashCompletesCommandsOptionsNodesAndValues(String typed, String expected)
            throws Exception {
        Path script = completion("bash");
        assertThat(run(Map.of(), "bash", "-n", script.toString())).isEqualTo(new Run(0, ""));
        for (String node : List.of("n1", "n12", "secret")) {
            Files.createDirectories(folder.resolve(".quorate").resolve(node));
        }
        String line =
                "cd '%s'; source '%s'; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _complete_quorate; echo ${COMPREPLY[@]}"
                        .formatted(folder, script, typed);
        assertThat(run(Map.of(), "bash", "-c", line).output()).isEqualTo(expected);
    }

    @Test
    void otherShellsHaveScriptsToo() throws Exception {
        assertThat(completion("zsh")).content().contains("bashcompinit");
        assertThat(completion("fish"))
                .content()
                .contains(
                        "complete -c quorate -n '__fish_use_subcommand' -a get -d 'Prints the value",
                        "-n '__fish_seen_subcommand_from stop' -a '(command ls .quorate",
                        "-n '__fish_seen_subcommand_from member; and __fish_seen_subcommand_from add'",
                        "-l role -r -a 'read write admin'",
                        "-l file -r -F")
                .doesNotContain("rehearse");
    }

    @Test
    void theHelpHasALineForEachCommandInAGroup() {
        StringWriter out = new StringWriter();
        CommandLine commandLine = commandLine(out);
        List<String> commands =
                new ArrayList<>(
                        List.of("bench", "report", "sim", "check", "health", "cert", "support"));
        commandLine
                .getSubcommands()
                .forEach(
                        (name, command) -> {
                            if (!command.getCommandSpec().usageMessage().hidden()) {
                                commands.add(name);
                            }
                        });
        assertThat(Overview.GROUPS.lines().filter(line -> line.startsWith(" ")))
                .map(line -> line.strip().replaceFirst(" .*", ""))
                .doesNotHaveDuplicates()
                .hasSameElementsAs(commands);
        assertThat(commandLine.execute("--help")).isZero();
        assertThat(out.toString().lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80))
                .contains("Data:", "  get         Prints the value of a key.");
    }

    @Test
    void aJavaThatIsTooOldIsPassedOver() throws Exception {
        Path old = fakeJava("old", "17.0.2");
        Path right = fakeJava("right", "25.0.1");
        Path tooNew = fakeJava("new", "250");
        Map<String, String> environment =
                Map.of(
                        "PATH", pathWithoutJava().toString(),
                        "JAVA_HOME", old.toString(),
                        "FIND_JAVA_PLACES", tooNew + ":" + old + ":" + folder.resolve("jdk-r*"));
        String find = ". '" + ROOT.resolve(".mvn/find-jdk.sh") + "'; find_java25 jdk";
        assertThat(run(environment, "bash", "-c", find)).isEqualTo(new Run(0, right.toString()));
    }

    private Path fakeJava(String name, String version) throws IOException {
        Path home = Files.createDirectories(folder.resolve("jdk-" + name));
        Files.createDirectories(home.resolve("bin"));
        for (String tool : List.of("java", "javac")) {
            Path file = Files.writeString(home.resolve("bin").resolve(tool), "#!/bin/sh\nexit 9\n");
            assertThat(file.toFile().setExecutable(true)).isTrue();
        }
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    /** Java does not look at the jars, and would run classes of two builds side by side. */
    @Test
    void aCacheThatIsOlderThanAJarIsMadeAnew() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        for (String source :
                List.of("cluster-cli", "cluster-node", "storage-lsm", "cluster-router")) {
            Files.createDirectories(home.resolve(source + "/src/main"));
            Files.writeString(home.resolve(source + "/pom.xml"), "");
        }
        Files.writeString(home.resolve("pom.xml"), "");
        Files.createDirectories(home.resolve(".mvn"));
        Files.copy(ROOT.resolve(".mvn/find-jdk.sh"), home.resolve(".mvn/find-jdk.sh"));
        Path script = home.resolve("quorate");
        Files.copy(ROOT.resolve("quorate"), script, StandardCopyOption.COPY_ATTRIBUTES);
        Path java = fakeJava("recorder", "25");
        Files.writeString(
                java.resolve("bin/java"),
                """
                #!/bin/sh
                for flag; do
                  case $flag in
                    -XX:AOTCacheOutput=*) echo cached; : > "${flag#*=}" ;;
                  esac
                done
                echo "$@"
                """);
        Path jar = home.resolve("cluster-cli/target/dist/lib/cluster-cli-1.jar");
        Files.createDirectories(jar.getParent());
        Files.writeString(jar, "a build");
        Map<String, String> environment = Map.of("JAVA_HOME", java.toString());
        Path cache = home.resolve("cluster-cli/target/dist/quorate.aot");
        assertThat(run(environment, script.toString(), "node").exit()).isZero();
        FileTime made = Files.getLastModifiedTime(cache);
        assertThat(run(environment, script.toString(), "node").exit()).isZero();
        assertThat(Files.getLastModifiedTime(cache)).isEqualTo(made);
        String use = "-XX:AOTCache=" + cache;
        assertThat(run(environment, script.toString(), "kill").output()).contains(use);
        // Written in place: the folder does not change.
        Files.writeString(jar, "another build");
        Files.setLastModifiedTime(jar, FileTime.fromMillis(made.toMillis() + 2_000));
        assertThat(run(environment, script.toString(), "node").exit()).isZero();
        assertThat(Files.getLastModifiedTime(cache)).isGreaterThan(made);
        // Commands that make the cache use it; others use it unless it is older than a jar.
        // Java refuses to start from it where it is told how to share classes, too.
        assertThat(run(environment, script.toString(), "up").output())
                .contains(use)
                .doesNotContain("-Xshare");
        assertThat(run(environment, script.toString(), "status").output()).doesNotContain(use);
    }

    @Test
    void argumentsAreReadAsUtf8WhereThereIsNoLocale() throws Exception {
        Path java = fakeJava("locale", "25");
        Files.writeString(java.resolve("bin/java"), "#!/bin/sh\necho \"locale=$LC_ALL\"\n");
        Path home = installed("plain", java);
        for (String given : List.of("", "C", "POSIX")) {
            Map<String, String> environment =
                    Map.of(
                            "JAVA_HOME",
                            java.toString(),
                            "LC_ALL",
                            given,
                            "LANG",
                            "",
                            "LC_CTYPE",
                            "");
            assertThat(run(environment, home.resolve("quorate").toString(), "status").output())
                    .matches("locale=(C|en_US).UTF-8");
        }
        Map<String, String> utf8 =
                Map.of("JAVA_HOME", java.toString(), "LC_ALL", "", "LANG", "de_DE.UTF-8");
        assertThat(run(utf8, home.resolve("quorate").toString(), "status").output())
                .isEqualTo("locale=");
    }

    @Test
    void aFolderWithAColonIsRefusedInOneSentence() throws Exception {
        Path java = fakeJava("colon", "25");
        Path home = installed("12:30", java);
        Run run =
                run(
                        Map.of("JAVA_HOME", java.toString()),
                        home.resolve("quorate").toString(),
                        "status");
        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.output()).contains("folder with a colon").hasLineCount(1);
    }

    /** An unpacked release. */
    private Path installed(String name, Path java) throws IOException {
        Path home = Files.createDirectories(folder.resolve(name));
        Files.createDirectories(home.resolve("lib"));
        Files.createDirectories(home.resolve(".mvn"));
        Files.copy(ROOT.resolve(".mvn/find-jdk.sh"), home.resolve(".mvn/find-jdk.sh"));
        Files.copy(
                ROOT.resolve("quorate"),
                home.resolve("quorate"),
                StandardCopyOption.COPY_ATTRIBUTES);
        assertThat(java.resolve("bin/java").toFile().setExecutable(true)).isTrue();
        return home;
    }

    @ParameterizedTest
    @CsvSource({"200 OK,0,ready", "503 Service Unavailable,1,is not ready: HTTP/1.1 503"})
    void healthAsksTheNodeItself(String status, int exit, String text) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> answer =
                    CompletableFuture.runAsync(() -> answerOnce(server, status));
            Run run =
                    run(
                            Map.of("QUORATE_PORT", "" + server.getLocalPort()),
                            ROOT.resolve("quorate").toString(),
                            "health");
            assertThat(run.output()).contains(text);
            assertThat(run.exit()).isEqualTo(exit);
            answer.get(10, TimeUnit.SECONDS);
        }
    }

    private static void answerOnce(ServerSocket server, String status) {
        try (Socket socket = server.accept();
                BufferedReader reader =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.US_ASCII))) {
            assertThat(reader.readLine()).isEqualTo("GET /readyz HTTP/1.1");
            // To its end: bash sends a request line by line, and dies if nobody reads on.
            while (!reader.readLine().isEmpty()) {
                // Headers.
            }
            socket.getOutputStream()
                    .write(("HTTP/1.1 " + status + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void healthAsksANodeWithAnAddressOfIpv6() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.ofLiteral("::1"))) {
            CompletableFuture<Void> answer =
                    CompletableFuture.runAsync(() -> answerOnce(server, "200 OK"));
            String topology = "n2=http://localhost:1,n1=http://[::1]:" + server.getLocalPort();
            Run run =
                    run(
                            Map.of("QUORATE_NAME", "n1", "QUORATE_TOPOLOGY", topology),
                            ROOT.resolve("quorate").toString(),
                            "health");
            assertThat(run).isEqualTo(new Run(0, "ready"));
            answer.get(10, TimeUnit.SECONDS);
        } catch (SocketException noIpv6) {
            abort("this machine has no IPv6");
        }
    }

    /** A supervisor restarts only what exits with another code than 0. */
    @Test
    void aNodeIgnoresHangupsAndHasTheHeapOfTheEnvironment() throws Exception {
        Path java = fakeJava("hangup", "25");
        Files.writeString(
                java.resolve("bin/java"), "#!/bin/sh\nkill -HUP $$\necho \"continues: $*\"\n");
        Path home = installed("supervised", java);
        Run run =
                run(
                        Map.of("JAVA_HOME", java.toString(), "QUORATE_HEAP", "1g"),
                        home.resolve("quorate").toString(),
                        "node");
        assertThat(run.exit()).isZero();
        assertThat(run.output()).startsWith("continues: -Xms1g -Xmx1g -XX:+UseG1GC ");
    }

    @Test
    void healthOfNoNodeIsBad() throws Exception {
        int port;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
        }
        Run run = run(Map.of(), ROOT.resolve("quorate").toString(), "health", "--port", "" + port);
        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.output()).endsWith("nothing listens at 127.0.0.1:" + port + ".");
    }
}
