package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A real cluster tells what it holds of a key, whichever node is asked. */
class WhyTest {

    private static List<String> linesOf(HttpResponse<String> answer, TestNode node) {
        return answer.body().lines().filter(line -> line.startsWith(node.name() + " ")).toList();
    }

    @Test
    void eachMemberIsListedWithItsEntry() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(5)) {
            String key = "key";
            String version = cluster.put(key, "value", "3/3").version();
            for (TestNode asked : cluster.nodes()) {
                HttpResponse<String> why = NodeRequests.why(asked, key);
                assertThat(why.statusCode()).isEqualTo(200);
                for (TestNode node : cluster.nodes()) {
                    String line = String.join("|", linesOf(why, node));
                    if (cluster.owners(key).contains(node)) {
                        assertThat(line).contains(version, "value", "memtable, log");
                    } else {
                        assertThat(line).contains("no").contains("nothing");
                    }
                }
                assertThat(why.body()).contains("- A read at a majority (2/3) returns " + version);
            }
            assertThat(NodeRequests.why(cluster.node(1), "another").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void absentMembersAndTheirHintsAreReported() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            cluster.put("key", "value", "3/3");
            cluster.node(3).kill();
            Awaitility.await().until(() -> cluster.node(1).delete("key").status() == 202);
            Awaitility.await()
                    .untilAsserted(
                            () ->
                                    assertThat(NodeRequests.why(cluster.node(2), "key").body())
                                            .contains("n1 has a hint for n3: ")
                                            .contains("n3 did not answer")
                                            .contains("n1 still has the tombstone ")
                                            .containsPattern("n3 +[123] +no answer "));
            assertThat(NodeRequests.why(cluster.node(2), "another").statusCode()).isEqualTo(504);
        }
    }
}
