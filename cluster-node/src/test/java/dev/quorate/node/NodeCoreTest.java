package dev.quorate.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.OptionsReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeCoreTest {

    @TempDir private Path folder;

    /** Its data would be forgotten, and another cluster founded. */
    @Test
    void aDirectoryThatWasAMemberFoundsNoCluster() throws IOException {
        int port = FreePorts.inARow(2);
        Map<String, String> texts = new HashMap<>();
        texts.put("topology", "n1=http://127.0.0.1:" + port);
        texts.put("peer-port-offset", "1");
        texts.put("reserved-disk-bytes", "0");
        texts.put("data", folder.resolve("data").toString());
        texts.put("founding", "new");
        ClusterNode node = ClusterNode.start(OptionsReader.read(texts), why -> {});
        Awaitility.await().until(node::votes);
        node.stop();
        assertThatThrownBy(() -> ClusterNode.start(OptionsReader.read(texts), why -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith(
                        "This directory has been a member of a cluster, so it cannot found one:"
                                + " start the node without --founding=new.");
        texts.remove("founding");
        ClusterNode.start(OptionsReader.read(texts), why -> {}).stop();
    }

    /** A process that survives an error must be able to start the node again. */
    @Test
    void anErrorInTheStartReleasesTheDataDirectory() throws IOException {
        int port = FreePorts.inARow(4);
        NodeOptions options =
                OptionsReader.read(
                        Map.of(
                                "name", "n1",
                                "topology",
                                        "n1=http://127.0.0.1:%d,n2=http://127.0.0.1:%d"
                                                .formatted(port, port + 1),
                                "peer-port-offset", "2",
                                "secret", "sixteen characters",
                                "reserved-disk-bytes", "0",
                                "data", folder.resolve("data").toString()));
        NodeSurroundings machine = ClusterNode.machine();
        for (boolean isInCore : new boolean[] {true, false}) {
            NodeSurroundings surroundings =
                    new NodeSurroundings(
                            machine.files(),
                            machine.ticker(),
                            machine.timers(),
                            (peer, link) -> {
                                if (isInCore) {
                                    throw new OutOfMemoryError("in NodeCore");
                                }
                                return link;
                            },
                            door -> {
                                throw new OutOfMemoryError("in ClusterNode");
                            },
                            machine.rings(),
                            machine.peerSelectors());
            assertThatThrownBy(() -> ClusterNode.start(options, surroundings, why -> {}))
                    .isInstanceOf(OutOfMemoryError.class);
            ClusterNode.start(options, why -> {}).stop();
        }
    }
}
