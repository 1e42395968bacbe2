package dev.quorate.testkit.live;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The rules of axe-core for accessible pages. The package is fetched by npm for the test, and is no
 * part of the product; {@code -Dquorate.axe=PATH} names its {@code axe.min.js} elsewhere.
 */
final class Axe {

    private static final String PACKAGE = "axe-core@4.11.0";
    private static final int MAX_SECONDS = 120;

    private final String script;

    private Axe(String script) {
        this.script = script;
    }

    /** The rules, if they can be had. */
    static Optional<Axe> fetch() throws IOException, InterruptedException {
        String given = System.getProperty("quorate.axe");
        Path folder = Path.of("target", "axe").toAbsolutePath();
        Path file =
                given == null ? folder.resolve("node_modules/axe-core/axe.min.js") : Path.of(given);
        if (given == null && !Files.exists(file)) {
            install(folder);
        }
        return Files.exists(file) ? Optional.of(new Axe(Files.readString(file))) : Optional.empty();
    }

    private static void install(Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        try {
            Process npm =
                    new ProcessBuilder(
                                    "npm",
                                    "install",
                                    "--no-save",
                                    "--ignore-scripts",
                                    "--no-audit",
                                    "--no-fund",
                                    "--prefix",
                                    folder.toString(),
                                    PACKAGE)
                            .redirectErrorStream(true)
                            .redirectOutput(folder.resolve("npm.log").toFile())
                            .start();
            if (!npm.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
                npm.destroyForcibly();
            }
        } catch (IOException noNpm) {
            // Then there are no rules, which the caller says.
        }
    }

    /** What of the page breaks a rule: the rule, and where. */
    List<String> violations(Browser browser) throws Exception {
        browser.evaluate(script + ";''");
        String found =
                browser.evaluate("axe.run().then(r => JSON.stringify(r.violations))").getAsString();
        JsonArray rules = JsonParser.parseString(found).getAsJsonArray();
        List<String> violations = new ArrayList<>();
        for (JsonElement each : rules) {
            JsonObject rule = each.getAsJsonObject();
            for (JsonElement node : rule.getAsJsonArray("nodes")) {
                JsonObject place = node.getAsJsonObject();
                violations.add(
                        rule.get("id").getAsString()
                                + " "
                                + place.get("target")
                                + " "
                                + place.get("failureSummary").getAsString());
            }
        }
        return violations;
    }
}
