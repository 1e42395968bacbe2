package dev.quorate.cli;

import dev.quorate.node.access.AccessToken;
import dev.quorate.node.access.AccessTokens;
import dev.quorate.node.access.Role;
import dev.quorate.node.access.TokenFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code quorate token}: changes the file of tokens that nodes follow. Exit codes: 0, or 1 with one
 * sentence that states the reason; 2 for arguments.
 */
final class TokenCommands {

    private static final int NAME_BYTES = 4;

    private final RandomGenerator random;

    private TokenCommands(RandomGenerator random) {
        this.random = random;
    }

    /**
     * Adds the commands to the command line.
     *
     * @param random makes the tokens: must be one that cannot be guessed
     */
    static void addTo(CommandLine commandLine, RandomGenerator random) {
        TokenCommands commands = new TokenCommands(random);
        CommandSpec token = CommandSpec.create().name("token");
        token.usageMessage()
                .description("Adds, lists and revokes the access tokens of a file.")
                .footer(
                        "The file has no token, only their digests: give each node a copy of it as"
                                + " token-file. Nodes follow it while they run.");
        token.addOption(help());
        CommandLine line = new CommandLine(token);
        line.addSubcommand("add", commands.add());
        line.addSubcommand("list", commands.list());
        line.addSubcommand("revoke", commands.revoke());
        commandLine.addSubcommand("token", line);
    }

    private static OptionSpec help() {
        return OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Prints this.")
                .build();
    }

    /** What a command does with the file. */
    private interface Verb {
        void act(TokenFile file, AccessTokens tokens, ParseResult parsed, PrintWriter out)
                throws IOException;
    }

    private CommandLine command(String name, String description, boolean mayCreate, Verb verb) {
        Action action = new Action(verb, mayCreate);
        CommandSpec spec = CommandSpec.wrapWithoutInspection(action).name(name);
        action.spec = spec;
        spec.usageMessage().description(description).sortOptions(false);
        spec.addOption(
                OptionSpec.builder("--file")
                        .required(true)
                        .type(String.class)
                        .paramLabel("FILE")
                        .description("The file of tokens.")
                        .build());
        spec.addOption(help());
        return new CommandLine(spec);
    }

    private CommandLine add() {
        CommandLine line =
                command(
                        "add",
                        "Adds a token, and prints it: it is shown this once. Creates the file if"
                                + " there is none.",
                        true,
                        this::add);
        CommandSpec spec = line.getCommandSpec();
        spec.addOption(
                OptionSpec.builder("--role")
                        .required(true)
                        .type(String.class)
                        .paramLabel("ROLE")
                        .description(
                                "read, write (which reads too) or admin (which does everything).")
                        .build());
        spec.addOption(
                OptionSpec.builder("--prefix")
                        .type(String.class)
                        .paramLabel("P")
                        .description("It is only for keys that begin with this. Default: all keys.")
                        .build());
        spec.addOption(
                OptionSpec.builder("--name")
                        .type(String.class)
                        .paramLabel("NAME")
                        .description(
                                "By which logs and these commands call it. Default: the role and a"
                                        + " random number.")
                        .build());
        return line;
    }

    private void add(TokenFile file, AccessTokens tokens, ParseResult parsed, PrintWriter out)
            throws IOException {
        String roleText = parsed.matchedOptionValue("--role", "");
        Role role = Role.of(roleText);
        if (role == null) {
            throw new IOException("--role is read, write or admin, not '" + roleText + "'.");
        }
        String prefix = parsed.matchedOptionValue("--prefix", "");
        String name = parsed.matchedOptionValue("--name", newName(role, tokens));
        AccessToken.Issued issued =
                AccessToken.issue(name, role, prefix.getBytes(StandardCharsets.UTF_8), random);
        file.write(tokens.with(issued.token()));
        out.println(issued.text());
    }

    private String newName(Role role, AccessTokens tokens) {
        String name;
        do {
            byte[] number = new byte[NAME_BYTES];
            random.nextBytes(number);
            name = role.text() + "-" + HexFormat.of().formatHex(number);
        } while (tokens.named(name) != null);
        return name;
    }

    private CommandLine list() {
        return command(
                "list",
                "Prints name, role and prefix (percent-encoded; * is every key) of each token.",
                false,
                (file, tokens, parsed, out) ->
                        tokens.all()
                                .forEach(
                                        token ->
                                                out.println(
                                                        token.name()
                                                                + " "
                                                                + token.caller().role().text()
                                                                + " "
                                                                + token.shownPrefix())));
    }

    private CommandLine revoke() {
        CommandLine line =
                command(
                        "revoke",
                        "Removes a token. Nodes refuse it as soon as they have read the file.",
                        false,
                        TokenCommands::revoke);
        line.getCommandSpec()
                .addPositional(
                        PositionalParamSpec.builder()
                                .index("0")
                                .required(true)
                                .type(String.class)
                                .paramLabel("NAME")
                                .description("Its name.")
                                .build());
        return line;
    }

    private static void revoke(
            TokenFile file, AccessTokens tokens, ParseResult parsed, PrintWriter out)
            throws IOException {
        String name = parsed.matchedPositionalValue(0, "");
        if (tokens.named(name) == null) {
            throw new IOException("There is no token '" + name + "'.");
        }
        file.write(tokens.without(name));
        out.println("The token '" + name + "' is revoked.");
    }

    /** One command's doing. */
    private static final class Action implements Callable<Integer> {

        private final Verb verb;
        private final boolean mayCreate;
        private @Nullable CommandSpec spec;

        Action(Verb verb, boolean mayCreate) {
            this.verb = verb;
            this.mayCreate = mayCreate;
        }

        @Override
        public Integer call() {
            CommandLine line = Objects.requireNonNull(spec).commandLine();
            ParseResult parsed = line.getParseResult();
            Path path = Path.of(parsed.matchedOptionValue("--file", ""));
            TokenFile file = new TokenFile(path);
            try {
                boolean isNew = mayCreate && !Files.exists(path, LinkOption.NOFOLLOW_LINKS);
                AccessTokens tokens = isNew ? AccessTokens.none() : file.read();
                verb.act(file, tokens, parsed, line.getOut());
                line.getOut().flush();
                return 0;
            } catch (IOException e) {
                line.getErr().println(e.getMessage());
                return 1;
            }
        }
    }
}
