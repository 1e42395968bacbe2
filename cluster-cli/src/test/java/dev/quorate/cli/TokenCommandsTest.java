package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.access.AccessTokens;
import dev.quorate.node.access.Authentication;
import dev.quorate.node.access.TokenFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

final class TokenCommandsTest {

    @TempDir private Path folder;
    private Path file;
    private final SplittableRandom random = new SplittableRandom(36);
    private String out = "";
    private String err = "";

    @BeforeEach
    void nameFile() {
        file = folder.resolve("tokens");
    }

    private int run(String... arguments) {
        StringWriter outText = new StringWriter();
        StringWriter errText = new StringWriter();
        CommandLine commandLine = new CommandLine(CommandSpec.create().name("quorate"));
        TokenCommands.addTo(commandLine, random);
        commandLine.setOut(new PrintWriter(outText, true)).setErr(new PrintWriter(errText, true));
        int exit = commandLine.execute(arguments);
        out = outText.toString();
        err = errText.toString();
        return exit;
    }

    private int add(String... more) {
        String[] arguments = new String[more.length + 4];
        arguments[0] = "token";
        arguments[1] = "add";
        arguments[2] = "--file";
        arguments[3] = file.toString();
        System.arraycopy(more, 0, arguments, 4, more.length);
        return run(arguments);
    }

    private boolean isKnown(String token) throws IOException {
        AccessTokens tokens = new TokenFile(file).read();
        return Authentication.by(() -> tokens).of("Bearer " + token, false)
                instanceof Authentication.Result.Known;
    }

    @Test
    void aTokenIsPrintedOnceAndItsDigestStored() throws IOException {
        assertThat(add("--role", "read", "--prefix", "user/é ", "--name", "web")).isZero();
        String token = out.strip();
        assertThat(token).startsWith("web.");
        assertThat(isKnown(token)).isTrue();
        assertThat(Files.readString(file)).doesNotContain(token.substring(4));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(add("--role", "admin")).isZero();
        assertThat(out).startsWith("admin-");
        assertThat(run("token", "list", "--file", file.toString())).isZero();
        assertThat(out.lines()).hasSize(2).first().isEqualTo("web read user%2F%C3%A9%20");
        assertThat(out).doesNotContain(token.substring(4));
    }

    @Test
    void aRevokedTokenIsNotKnown() throws IOException {
        add("--role", "write", "--name", "a");
        String first = out.strip();
        add("--role", "write", "--name", "b");
        String second = out.strip();
        assertThat(run("token", "revoke", "a", "--file", file.toString())).isZero();
        assertThat(isKnown(first)).isFalse();
        assertThat(isKnown(second)).isTrue();
        assertThat(run("token", "revoke", "a", "--file", file.toString())).isEqualTo(1);
        assertThat(err).contains("No token is named 'a'");
    }

    @Test
    void badArgumentsChangeNothing() throws IOException {
        add("--role", "write", "--name", "a");
        byte[] before = Files.readAllBytes(file);
        assertThat(add("--role", "root")).isEqualTo(1);
        assertThat(add("--role", "read", "--name", "a")).isEqualTo(1);
        assertThat(add("--role", "read", "--name", "A b")).isEqualTo(1);
        assertThat(add("--role", "admin", "--prefix", "p")).isEqualTo(1);
        assertThat(add()).isEqualTo(2);
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    /** Otherwise it would be replaced by one with a single token. */
    @Test
    void aFileThatIsNoneOfTokensIsLeftAsItIs() throws IOException {
        Files.writeString(file, "something else\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(add("--role", "read")).isEqualTo(1);
        assertThat(err).contains("line 1");
        assertThat(Files.readString(file)).isEqualTo("something else\n");
        assertThat(run("token", "list", "--file", folder.resolve("none").toString())).isEqualTo(1);
        assertThat(err).contains("there is no file");
    }
}
