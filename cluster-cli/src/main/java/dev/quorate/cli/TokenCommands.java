package dev.quorate.cli;

import dev.quorate.cli.local.Commands;
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
import java.util.random.RandomGenerator;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code quorate token}: changes a token file, which nodes reload. Exit codes: 0; 1 with a sentence
 * about the reason; 2 for invalid arguments.
 */
record TokenCommands(RandomGenerator random) {

    /**
     * @param random generates the tokens; must be cryptographically strong
     */
    static void addTo(CommandLine commandLine, RandomGenerator random) {
        TokenCommands commands = new TokenCommands(random);
        CommandLine token =
                Commands.group(
                        "token",
                        "Adds, lists and revokes the access tokens of a file.",
                        commands.add(),
                        list(),
                        revoke());
        token.getCommandSpec()
                .usageMessage()
                .footer(
                        "The file contains only digests of the tokens. Give each node a copy of it as"
                                + " token-file. Running nodes reload it.");
        commandLine.addSubcommand(token);
    }

    private interface Verb {
        void act(TokenFile file, AccessTokens tokens, ParseResult parsed, PrintWriter out)
                throws IOException;
    }

    private static CommandSpec command(
            String name, String description, boolean mayCreate, Verb verb, ArgSpec... more) {
        CommandSpec spec =
                Commands.command(
                        name,
                        description,
                        line -> run(line, mayCreate, verb),
                        Commands.requiredOption("--file", "FILE", "The file of tokens."),
                        Commands.help());
        return Commands.with(spec, more);
    }

    private static int run(CommandLine line, boolean mayCreate, Verb verb) {
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
            return Commands.fail(line, Commands.reason(e), 1);
        }
    }

    private CommandSpec add() {
        return command(
                "add",
                "Adds a token and prints it. This is the only time it is shown. Creates the"
                        + " file if it does not exist.",
                true,
                this::add,
                Commands.requiredOption(
                        "--role",
                        "ROLE",
                        "read, write (which reads too) or admin (which does everything)."),
                Commands.option(
                        "--prefix",
                        "P",
                        "Limits the token to keys with this prefix. Default: all keys."),
                Commands.option(
                        "--name",
                        "NAME",
                        "Name of the token in logs and in these commands. Default: the role and a"
                                + " random number."));
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
            byte[] number = new byte[4];
            random.nextBytes(number);
            name = role.text() + "-" + HexFormat.of().formatHex(number);
        } while (tokens.named(name) != null);
        return name;
    }

    private static CommandSpec list() {
        return command(
                "list",
                "Prints name, role and prefix (percent-encoded; * is every key) of each token.",
                false,
                (file, tokens, parsed, out) -> {
                    for (AccessToken each : tokens.all()) {
                        String role = each.caller().role().text();
                        out.printf("%s %s %s%n", each.name(), role, each.shownPrefix());
                    }
                });
    }

    private static CommandSpec revoke() {
        return command(
                "revoke",
                "Removes a token. Nodes refuse it as soon as they have read the file.",
                false,
                TokenCommands::revoke,
                Commands.parameter("NAME", "Its name."));
    }

    private static void revoke(
            TokenFile file, AccessTokens tokens, ParseResult parsed, PrintWriter out)
            throws IOException {
        String name = parsed.matchedPositionalValue(0, "");
        if (tokens.named(name) == null) {
            throw new IOException("No token is named '" + name + "'.");
        }
        file.write(tokens.without(name));
        out.println("The token '" + name + "' is revoked.");
    }
}
