package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * The sources of the man pages, which the Maven profile {@code man} makes pages of. They are
 * written to target/man-sources.
 */
final class ManPagesTest {

    private static final Path FOLDER =
            Path.of(System.getProperty("quorate.root"), "cluster-cli/target/man-sources");

    private static CommandSpec root() {
        return Main.commandLine(
                        (config, environment) -> {
                            throw new IllegalStateException("A man page starts no node.");
                        },
                        Map.of())
                .getCommandSpec();
    }

    /** The command and those below it, without hidden ones. */
    private static List<CommandSpec> withAllBelow(CommandSpec command) {
        List<CommandSpec> all = new ArrayList<>(List.of(command));
        for (CommandLine each : new LinkedHashSet<>(command.subcommands().values())) {
            if (!each.getCommandSpec().usageMessage().hidden()) {
                all.addAll(withAllBelow(each.getCommandSpec()));
            }
        }
        return all;
    }

    private static void empty(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
        Files.createDirectories(folder);
    }

    @Test
    void everyCommandAndOptionHasItsPlace() throws IOException {
        empty(FOLDER);
        CommandSpec root = root();
        List<CommandSpec> commands = withAllBelow(root);
        assertThat(commands).hasSizeGreaterThan(30);
        for (CommandSpec command : commands) {
            UsageMessageSpec usage = command.usageMessage();
            if (usage.header().length == 0) {
                // What apropos prints is one sentence.
                usage.header(String.join(" ", usage.description()).replaceAll("(?<=\\.) .*", ""));
            }
        }

        int exit =
                ManPageGenerator.generateManPage(
                        FOLDER.toFile(), (File) null, new boolean[0], false, root);

        assertThat(exit).isZero();
        for (CommandSpec command : commands) {
            Path file = FOLDER.resolve(command.qualifiedName("-") + ".adoc");
            assertThat(file).exists();
            String page = Files.readString(file);
            assertThat(page).containsPattern("(?m)^" + command.qualifiedName("-") + " - \\S.*\\S$");
            for (OptionSpec option : command.options()) {
                if (!option.hidden()) {
                    assertThat(page).as(file + ": " + option).contains(option.longestName());
                    assertThat(option.description()).as(file + ": " + option).isNotEmpty();
                }
            }
        }
    }
}
