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

    /** The words of a command in a unit, or in a job of Kubernetes. */
    private static List<String> command(String file) throws IOException {
        String text = read(file);
        if (file.endsWith(".service")) {
            String start =
                    text.lines()
                            .filter(line -> line.startsWith("ExecStart="))
                            .findFirst()
                            .orElseThrow();
            return List.of(start.split(" ", -1)).subList(1, start.split(" ", -1).length);
        }
        return text.lines()
                .map(String::strip)
                .dropWhile(line -> !line.equals("args:"))
                .skip(1)
                .takeWhile(line -> line.startsWith("- "))
                .map(line -> line.substring(2))
                .toList();
    }

    @Test
    void scheduledCommandsHaveOptionsThatExist() throws IOException {
        for (String file :
                List.of(
                        "deploy/systemd/quorate-backup.service",
                        "deploy/systemd/quorate-drill.service",
                        "deploy/kubernetes/backup/backup.yaml",
                        "deploy/kubernetes/backup/drill.yaml")) {
            List<String> words = command(file);
            assertThat(words).as(file).startsWith("backup").hasSizeGreaterThan(2);
            Main.commandLine(Map.of()).parseArgs(words.toArray(String[]::new));
        }
        assertThat(command("deploy/systemd/quorate-backup.service")).contains("--keep");
        assertThat(command("deploy/kubernetes/backup/backup.yaml")).contains("--keep=7");
    }

    /** Restrictions, without those of memory, devices and files that each unit has of its own. */
    private static List<String> restrictions(String unit) throws IOException {
        return read("deploy/systemd/" + unit)
                .lines()
                .dropWhile(line -> !line.startsWith("NoNewPrivileges="))
                .takeWhile(line -> !line.isEmpty())
                .toList();
    }

    @Test
    void scheduledCommandsAreAsRestrictedAsANode() throws IOException {
        for (String name : List.of("backup", "drill")) {
            assertThat(restrictions("quorate-" + name + ".service"))
                    .hasSizeGreaterThan(20)
                    .isEqualTo(restrictions("quorate.service"));
            assertThat(read("deploy/systemd/quorate-" + name + ".timer"))
                    .contains("OnCalendar=", "RandomizedDelaySec=", "Persistent=yes");
        }
        String set = read("deploy/kubernetes/base/statefulset.yaml");
        for (String name : List.of("backup", "drill")) {
            String job = read("deploy/kubernetes/backup/" + name + ".yaml");
            assertThat(contexts(job)).hasSize(2).isEqualTo(contexts(set));
            assertThat(job)
                    .contains("concurrencyPolicy: Forbid", "automountServiceAccountToken: false");
        }
    }

    /** The contents of each securityContext, without indentation. */
    private static List<List<String>> contexts(String manifest) {
        List<List<String>> contexts = new ArrayList<>();
        List<String> lines = manifest.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).strip().equals("securityContext:")) {
                String indent = lines.get(i).replaceAll("\\S.*", "") + " ";
                contexts.add(
                        lines.stream()
                                .skip(i + 1L)
                                .takeWhile(line -> line.startsWith(indent))
                                .map(String::strip)
                                .toList());
            }
        }
        return contexts;
    }

    @Test
    void eachListedManifestIsThere() throws IOException {
        for (String folder : List.of("base", "backup", "monitoring")) {
            List<String> listed =
                    read("deploy/kubernetes/" + folder + "/kustomization.yaml")
                            .lines()
                            .filter(line -> line.matches("  - .*[.]yaml"))
                            .map(line -> line.substring(4))
                            .toList();
            assertThat(listed).as(folder).hasSizeGreaterThan(1);
            for (String file : listed) {
                assertThat(ROOT.resolve("deploy/kubernetes/" + folder).resolve(file)).exists();
            }
        }
    }

    /** Both services have the name's label; a scrape of both would count each node twice. */
    @Test
    void prometheusFindsEachPodOnce() throws IOException {
        String monitor = read("deploy/kubernetes/monitoring/monitor.yaml");
        String component = "app.kubernetes.io/component: members";
        assertThat(monitor).contains(component, "jobLabel: app.kubernetes.io/name", "port: http");
        String[] services = read("deploy/kubernetes/base/services.yaml").split("(?m)^---$", -1);
        assertThat(services).hasSize(2);
        assertThat(services[0]).contains(component, "clusterIP: None", "name: http");
        assertThat(services[1]).doesNotContain(component);
    }

    @Test
    void podsAreSpreadOverZones() throws IOException {
        assertThat(read("deploy/kubernetes/base/statefulset.yaml").lines().map(String::strip))
                .containsSequence(
                        "topologyKey: topology.kubernetes.io/zone",
                        "whenUnsatisfiable: ScheduleAnyway",
                        "labelSelector:",
                        "matchLabels:",
                        "app.kubernetes.io/name: quorate");
    }
}
