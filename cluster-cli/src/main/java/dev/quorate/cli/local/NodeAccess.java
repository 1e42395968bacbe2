package dev.quorate.cli.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * How a command may use nodes: with which token. Tokens come from a file or the environment, never
 * from an argument, which all users of a machine can list.
 */
public final class NodeAccess {

    /** Without a token. */
    public static final NodeAccess NONE = new NodeAccess(null);

    private static final String VARIABLE = "QUORATE_TOKEN";
    private static final String TOKEN_FILE = "--token-file";
    private static final int MAX_BYTES = 512;
    private static final Pattern TOKEN = Pattern.compile("[!-~]{1,512}");

    private final @Nullable String token;

    private NodeAccess(@Nullable String token) {
        this.token = token;
    }

    /** Adds the options from which {@link #of} reads. */
    public static void addOptions(CommandSpec spec) {
        spec.addOption(
                OptionSpec.builder(TOKEN_FILE)
                        .type(String.class)
                        .paramLabel("FILE")
                        .description(
                                "What this file contains is the token for the nodes. Default: the"
                                        + " environment's QUORATE_TOKEN.")
                        .build());
    }

    /**
     * As the options and the environment say.
     *
     * @throws InvalidException if a file cannot be read, or has no token
     */
    public static NodeAccess of(ParseResult parsed, Map<String, String> environment)
            throws InvalidException {
        String file = parsed.matchedOptionValue(TOKEN_FILE, null);
        if (file != null) {
            return new NodeAccess(checked("The file " + file, read(file)));
        }
        String token = environment.get(VARIABLE);
        return token == null ? NONE : new NodeAccess(checked(VARIABLE, token.strip()));
    }

    /** The message is for the user. */
    public static final class InvalidException extends Exception {

        private static final long serialVersionUID = 1;

        InvalidException(String message) {
            super(message);
        }
    }

    private static String read(String file) throws InvalidException {
        try {
            if (Files.size(Path.of(file)) > MAX_BYTES) {
                throw new InvalidException("The file " + file + " is too long for a token.");
            }
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            throw new InvalidException("The file " + file + " cannot be read: " + e + ".");
        }
    }

    private static String checked(String origin, String token) throws InvalidException {
        if (!TOKEN.matcher(token).matches()) {
            throw new InvalidException(origin + " has no token, which is one word of ASCII.");
        }
        return token;
    }

    /** The header lines that a request needs. */
    public List<String> headers() {
        return token == null ? List.of() : List.of("Authorization: Bearer " + token);
    }
}
