package dev.quorate.node;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The command line. {@code ./quorate} finds Java and the jars, and ends up here. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) {
        System.exit(commandLine(Main::start, System.getenv()).execute(arguments));
    }

    private static RunningNode start(
            dev.quorate.node.config.NodeOptions options,
            java.util.function.Consumer<String> fatal) {
        throw new UnsupportedOperationException("ClusterNode is not here yet");
    }

    /** All commands. */
    static CommandLine commandLine(NodeStarter starter, Map<String, String> environment) {
        CommandSpec root = CommandSpec.create().name("quorate");
        root.usageMessage()
                .description("A sharded, replicated key-value cluster that speaks plain HTTP.");
        root.addOption(
                OptionSpec.builder("--help").usageHelp(true).description("Prints this.").build());
        root.addOption(
                OptionSpec.builder("--version")
                        .versionHelp(true)
                        .description("Prints the version.")
                        .build());
        root.version("quorate " + version());
        CommandLine commandLine = new CommandLine(root);
        commandLine.addSubcommand("node", NodeCommand.commandLine(starter, environment));
        return commandLine;
    }

    private static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "(not packaged)" : version;
    }
}
