package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Answers of a real cluster say how they came about: asked to, and always when they are a 504. */
class ExplainedAnswersTest {

    private static List<String> replicas(HttpResponse<String> response) {
        return response.headers().allValues("x-quorate-replica");
    }

    private static List<String> reasons(HttpResponse<String> response) {
        return response.headers().allValues("x-quorate-explain");
    }

    @Test
    void eachReplicaHasALine() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            HttpResponse<String> put =
                    NodeRequests.putLater(cluster.node(1), "id=key&replicas=3/3&explain=1", "value")
                            .get();
            String version = put.headers().firstValue("x-quorate-version").orElseThrow();
            assertThat(put.statusCode()).isEqualTo(201);
            assertThat(replicas(put))
                    .hasSize(3)
                    .allMatch(line -> line.contains("answer=stored; version=" + version + "; mil"));
            assertThat(reasons(put))
                    .containsExactly(
                            "3 of 3 replicas have version "
                                    + version
                                    + " on disk (n1, n2 and n3), and 3 had to");

            HttpResponse<String> get =
                    NodeRequests.get(cluster.node(2), "id=key&replicas=3/3&explain=1");
            assertThat(get.body()).isEqualTo("value");
            assertThat(replicas(get))
                    .hasSize(3)
                    .allMatch(
                            line ->
                                    line.matches(
                                            "n[123]; answer=value; version="
                                                    + version
                                                    + "; from=3; bytes=5; millis=\\d+\\.\\d{3}.*"));
            assertThat(replicas(NodeRequests.get(cluster.node(2), "id=key"))).isEmpty();
        }
    }

    @Test
    void everyFailureNamesEachReplicaAndWhatToDo() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            cluster.put("key", "value", "3/3");
            cluster.node(3).kill();
            for (String query : List.of("id=key&replicas=3/3", "id=key&replicas=3/3&explain=1")) {
                for (HttpResponse<String> failed :
                        List.of(
                                NodeRequests.putLater(cluster.node(1), query, "other").get(),
                                NodeRequests.get(cluster.node(1), query))) {
                    assertThat(failed.statusCode()).isEqualTo(504);
                    assertThat(failed.body())
                            .containsPattern("\"replica\":\"n1\",\"asked\":\"(read|write)\"")
                            .containsPattern(
                                    "\"replica\":\"n3\",\"asked\":\"(read|write)\","
                                            + "\"answer\":\"failed\",\"reason\":\"[a-z_]+\","
                                            + "\"detail\":\"[^\"]+\",\"millis\":[0-9.]+[,}]")
                            .contains("\"advice\":[\"n3: cannot be reached.")
                            .contains("\"retry\":");
                    assertThat(replicas(failed)).hasSize(query.contains("explain") ? 3 : 0);
                }
            }
            Awaitility.await()
                    .untilAsserted(
                            () ->
                                    assertThat(
                                                    reasons(
                                                            NodeRequests.putLater(
                                                                            cluster.node(1),
                                                                            "id=key&explain=1",
                                                                            "more")
                                                                    .get()))
                                            .contains("a hint is stored for n3"));
        }
    }
}
