package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.quorate.client.QuorateClient;
import dev.quorate.testcontainers.QuorateContainer;
import org.junit.jupiter.api.Test;
import org.testcontainers.utility.MountableFile;

/** One node with TLS, a token and data of its own. */
class OneNodeTest {

    @Test
    void settingsOfAFile() {
        try (QuorateContainer node =
                new QuorateContainer(Images.quorate())
                        .withTls()
                        .withToken("test.secret")
                        .withInitData(MountableFile.forClasspathResource("settings.ndjson"))) {
            node.start();
            try (QuorateClient client = node.client()) {
                Settings settings = new Settings(client);
                assertEquals("green", settings.get("color", "red"));
                settings.set("color", "blue");
                assertEquals("blue", settings.get("color", "red"));
                assertEquals("none", settings.get("shape", "none"));
            }
        }
    }
}
