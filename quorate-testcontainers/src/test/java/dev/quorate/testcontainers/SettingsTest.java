package dev.quorate.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.Version;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/** What is refused before a container starts. */
final class SettingsTest {

    private static final String ENTRY =
            new Entry(Key.of("k"), new byte[1], new Version("01a1ffa680e10000-36c6c909")).toJson();

    @Test
    void imagesOfOthersAreRefusedUnlessTheyAreDeclaredCompatible() {
        assertThat(new QuorateContainer().getNetworkAliases()).contains("n1");
        assertThat(new QuorateContainer("quorate:0.1.0").getExposedPorts()).containsExactly(8080);
        assertThatThrownBy(() -> new QuorateContainer("mine/x"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("asCompatibleSubstituteFor");
        DockerImageName mine = DockerImageName.parse("mine/x").asCompatibleSubstituteFor("quorate");
        assertThat(new QuorateClusterContainer(mine, 2).nodes()).hasSize(2);
    }

    @Test
    void optionsAreVariables() {
        QuorateContainer node = new QuorateContainer().withOption("request-timeout", "500ms");
        assertThat(node.getEnvMap()).contains(Map.entry("QUORATE_REQUEST_TIMEOUT", "500ms"));
        for (String bad : List.of("", "--request-timeout", "QUORATE_HOST", "a_b", "a-")) {
            assertThatThrownBy(() -> node.withOption(bad, "x"))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + bad + "'");
        }
    }

    @Test
    void tokensHaveANameAndASecret() {
        // As ./quorate token add has written it.
        assertThat(new AdminToken("test.secret").file())
                .isEqualTo(
                        "test admin *"
                                + " bb082f6f37798bb2b76b68493d1335f4c7e2030a353030d95b805c67166664b0"
                                + "\ntokens 1\n");
        for (String bad : List.of("", "secret", ".secret", "test.", "Test.secret", "test.a b")) {
            assertThatThrownBy(() -> new QuorateContainer().withToken(bad))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("NAME.SECRET");
        }
    }

    @Test
    void aClusterHasOneNodeTo64() {
        for (int bad : List.of(0, 65)) {
            assertThatThrownBy(() -> new QuorateClusterContainer(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not " + bad);
        }
        QuorateClusterContainer cluster = new QuorateClusterContainer("quorate", 2);
        assertThat(cluster.node(2).getEnvMap())
                .containsEntry("QUORATE_NAME", "n2")
                .containsEntry("QUORATE_TOPOLOGY", "n1=http://n1:8080,n2=http://n2:8080");
        assertThatThrownBy(() -> cluster.node(3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The nodes are 1 to 2, not 3.");
        cluster.stop();
    }

    @Test
    void withoutTlsThereIsNoCertificate() {
        assertThatThrownBy(() -> new QuorateContainer().certificate())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("withTls()");
        assertThatThrownBy(() -> new QuorateContainer().withTls().sslContext())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("starts");
    }

    @Test
    void aNameThatNoCertificateCanHaveIsNamed() {
        assertThatThrownBy(() -> TestCertificate.create(List.of("localhost", "-.-")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("dns:-.-");
    }

    @Test
    void badInitialDataIsRefusedWithItsLine() {
        String put = "{\"op\":\"put\",\"key\":\"a\",\"value\":\"1\"}\n";
        for (String bad :
                List.of(
                        "hello",
                        "{\"op\":\"put\",\"key\":\"a\"}",
                        "{\"key\":\"a\",\"value\":\"1\"}",
                        "{\"entries\":2}")) {
            assertThatThrownBy(
                            () -> new QuorateContainer().withInitData(Transferable.of(put + bad)))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("Line 2 of the initial data is invalid: ");
        }
        assertThatThrownBy(
                        () ->
                                new QuorateClusterContainer(1)
                                        .withInitData(
                                                Transferable.of(
                                                        ENTRY + "\n{\"entries\":1}\n" + ENTRY)))
                .hasMessageStartingWith("Line 3 of the initial data is invalid: it follows");
        assertThatThrownBy(
                        () ->
                                new QuorateContainer()
                                        .withInitData(Transferable.of(new byte[] {(byte) 0xff})))
                .hasMessage("The initial data is not UTF-8.");
        assertThatThrownBy(
                        () ->
                                new QuorateContainer()
                                        .withInitData(MountableFile.forHostPath("/no/such/file")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/no/such/file");
    }
}
