package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The alerts in {@code docs/alert-rules.yml}: each fires when it should, and only then. */
final class AlertRulesTest {

    private static final Path DOCS =
            Path.of(System.getProperty("quorate.root", ".")).resolve("docs");

    @Test
    void eachAlertIsShownToFireAndNotTo() throws Exception {
        String tests = Files.readString(DOCS.resolve("alert-rules.test.yml"));
        var alerts =
                Files.readString(DOCS.resolve("alert-rules.yml"))
                        .lines()
                        .filter(line -> line.contains("- alert: "))
                        .map(line -> line.substring(line.indexOf(": ") + 2))
                        .toList();
        assertThat(alerts).hasSizeGreaterThan(8).doesNotHaveDuplicates();
        for (String alert : alerts) {
            assertThat(tests)
                    .contains("- name: " + alert + " fires\n", "- name: " + alert + " does not\n");
        }
    }

    /** The address is a placeholder; what follows it is a section of the runbook. */
    @Test
    void eachAlertLeadsToASectionOfTheRunbook() throws Exception {
        var sections =
                Files.readString(DOCS.resolve("runbook.md"))
                        .lines()
                        .filter(line -> line.matches("##+ .*"))
                        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
                        .map(title -> title.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
                        .toList();
        String rules = Files.readString(DOCS.resolve("alert-rules.yml"));
        for (String rule : rules.split("- alert: ", -1)) {
            if (!rule.startsWith("#")) {
                var url =
                        Pattern.compile(
                                        "runbook_url: \"https://quorate\\.example/runbook\\.html#(.*)\"")
                                .matcher(rule);
                assertThat(url.find()).as(rule).isTrue();
                assertThat(sections).contains(url.group(1));
            }
        }
    }

    /** Skipped where the program of Prometheus is not installed. */
    @Test
    void promtoolAgrees() throws Exception {
        String[] folders =
                String.valueOf(System.getenv("PATH")).split(Pattern.quote(File.pathSeparator), -1);
        String given = System.getProperty("quorate.promtool");
        Path program =
                given != null
                        ? Path.of(given)
                        : Arrays.stream(folders)
                                .map(folder -> Path.of(folder, "promtool"))
                                .filter(Files::isExecutable)
                                .findFirst()
                                .orElse(null);
        if (program == null) {
            Assumptions.abort("Skipped: promtool is not installed (-Dquorate.promtool=PATH).");
            return;
        }
        Process process =
                new ProcessBuilder(program.toString(), "test", "rules", "alert-rules.test.yml")
                        .directory(DOCS.toFile())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
