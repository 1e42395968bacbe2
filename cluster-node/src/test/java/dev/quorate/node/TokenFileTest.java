package dev.quorate.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.quorate.node.access.AccessToken;
import dev.quorate.node.access.AccessTokens;
import dev.quorate.node.access.Role;
import dev.quorate.node.access.TokenFile;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.node.http.connection.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node follows its file of tokens. */
final class TokenFileTest {

    @TempDir private Path folder;
    private Path path;
    private TokenFile file;

    @BeforeEach
    void name() {
        path = folder.resolve("tokens");
        file = new TokenFile(path);
    }

    private static AccessToken.Issued issue(String name) throws IOException {
        return AccessToken.issue(name, Role.WRITE, new byte[0], new Random());
    }

    private ClusterNode start(int port) throws IOException {
        return ClusterNode.start(
                OptionsReader.read(
                        Map.of(
                                "topology",
                                "n1=http://127.0.0.1:" + port,
                                "data",
                                folder.resolve("data").toString(),
                                "peer-port-offset",
                                "1",
                                "reserved-disk-bytes",
                                "0",
                                "token-file",
                                path.toString())),
                why -> {});
    }

    private static int status(int port, AccessToken.Issued token) throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send(
                    "GET /v0/ring HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                            + token.text()
                            + "\r\n\r\n");
            return client.read(false).status();
        }
    }

    @Test
    void aRunningNodeFollowsTheFileAndSurvivesABadOne() throws IOException {
        AccessToken.Issued first = issue("first");
        AccessToken.Issued second = issue("second");
        file.write(AccessTokens.none().with(first.token()));
        int port = FreePorts.inARow(2);
        ClusterNode node = start(port);
        try {
            assertThat(status(port, first)).isEqualTo(200);
            assertThat(status(port, second)).isEqualTo(401);
            file.write(AccessTokens.none().with(second.token()));
            await().until(() -> status(port, second) == 200);
            assertThat(status(port, first)).isEqualTo(401);
            Files.writeString(path, "second");
            file.write(AccessTokens.none().with(first.token()));
            await().until(() -> status(port, first) == 200);
            Files.delete(path);
            assertThat(status(port, first)).isEqualTo(200);
        } finally {
            node.stop();
        }
    }

    @Test
    void aNodeDoesNotStartWithoutAGoodFile() throws IOException {
        int port = FreePorts.inARow(2);
        assertThatThrownBy(() -> start(port))
                .isInstanceOf(IOException.class)
                .hasMessage("token-file cannot be used: there is no file " + path);
        file.write(AccessTokens.none());
        Files.writeString(path, "tokens 1\n");
        assertThatThrownBy(() -> start(port)).hasMessageContaining("its last line says 1");
        file.write(AccessTokens.none().with(issue("a").token()));
        assertThat(path.toFile().setReadable(true, false)).isTrue();
        assertThatThrownBy(() -> start(port)).hasMessageContaining("chmod 600");
        ClusterNode node = startAfterRepair(port);
        node.stop();
    }

    private ClusterNode startAfterRepair(int port) throws IOException {
        file.write(AccessTokens.none());
        return start(port);
    }
}
