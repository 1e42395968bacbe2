package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.ClusterNode;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is in deploy/ and docker-compose.yml fits the program. */
final class DeploymentTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final Pattern VARIABLE = Pattern.compile("\\bQUORATE_[A-Z_]+\\b");
    private static final Pattern REPLICAS = Pattern.compile("(?m)^  replicas: (\\d+)$");

    /** Of the launcher, which no option of a node is. */
    private static final String HEAP = "QUORATE_HEAP";

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    private static Set<String> variables(String text) {
        return new TreeSet<>(
                VARIABLE.matcher(text)
                        .results()
                        .map((MatchResult found) -> found.group())
                        .toList());
    }

    private static String help() {
        return NodeCommand.commandLine(ClusterNode::start, Map.of()).getUsageMessage();
    }

    @Test
    void everyVariableIsOneOfANode() throws IOException {
        Set<String> known = variables(help());
        known.add(HEAP);
        // Of docker-compose.yml itself.
        known.add("QUORATE_IMAGE");
        assertThat(known).contains("QUORATE_TOKEN_FILE");
        for (String file :
                List.of("deploy/kubernetes/base/statefulset.yaml", "docker-compose.yml")) {
            assertThat(variables(read(file))).as(file).isNotEmpty().isSubsetOf(known);
        }
    }

    @Test
    void everyLineOfTheExampleIsASetting() throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(read("deploy/systemd/node.properties")));
        assertThat(properties.stringPropertyNames())
                .contains("topology", "secret-file", "token-file")
                .allSatisfy(name -> assertThat(help()).contains("--" + name + "="));
    }

    @Test
    void theTopologyNamesThePods() throws IOException {
        String set = read("deploy/kubernetes/base/statefulset.yaml");
        int pods =
                Integer.parseInt(
                        REPLICAS.matcher(set)
                                .results()
                                .map((MatchResult found) -> found.group(1))
                                .findFirst()
                                .orElseThrow());
        List<String> members = new ArrayList<>();
        for (int i = 0; i < pods; i++) {
            members.add("quorate-" + i + "=http://quorate-" + i + ".quorate-members:8080");
        }
        assertThat(set.lines().map(String::strip)).contains(String.join(",", members));
        assertThat(set).contains("serviceName: quorate-members");
    }

    /** The script of the pods, which prints its environment in place of a node. */
    private static String environmentOf(String pod) throws Exception {
        String set = read("deploy/kubernetes/base/statefulset.yaml");
        String script =
                set.substring(set.indexOf("- |") + 3, set.indexOf("          env:"))
                        .replace("exec /opt/quorate/quorate node", "exec env");
        ProcessBuilder shell = new ProcessBuilder("/bin/sh", "-c", script);
        shell.environment()
                .putAll(
                        Map.of(
                                "QUORATE_NAME",
                                pod,
                                "QUORATE_TOPOLOGY",
                                "quorate-0=http://a:1,quorate-1=http://b:1",
                                "QUORATE_JOIN",
                                "http://a:1",
                                "QUORATE_ADDRESS",
                                "http://c:1"));
        Process process = shell.redirectErrorStream(true).start();
        String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }

    @Test
    void furtherPodsJoin() throws Exception {
        for (String founder : List.of("quorate-0", "quorate-1")) {
            assertThat(environmentOf(founder))
                    .contains("QUORATE_TOPOLOGY=")
                    .doesNotContain("QUORATE_JOIN", "QUORATE_ADDRESS");
        }
        for (String joiner : List.of("quorate-2", "quorate-10")) {
            assertThat(environmentOf(joiner))
                    .contains("QUORATE_JOIN=", "QUORATE_ADDRESS=")
                    .doesNotContain("QUORATE_TOPOLOGY");
        }
    }

    @Test
    void policiesNameTheirPods() throws IOException {
        for (String file : List.of("disruption.yaml", "network.yaml")) {
            assertThat(read("deploy/kubernetes/base/" + file))
                    .as(file)
                    .containsPattern(
                            "[sS]elector:\n    matchLabels:\n      app.kubernetes.io/name: quorate");
        }
    }
}
