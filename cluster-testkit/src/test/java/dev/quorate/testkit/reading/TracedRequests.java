package dev.quorate.testkit.reading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.testkit.QuorateCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * Sends requests to a cluster in this JVM, and returns the classes that each kind of request calls:
 * those called at least once for each request in every round. Background tasks call many methods at
 * once, but not in every round.
 */
public final class TracedRequests implements Callable<Map<String, Set<String>>> {

    private static final int ROUNDS = 10;
    private static final int REQUESTS = 50;
    private static final int KEYS = 10;

    private final HttpClient client = HttpClient.newHttpClient();
    private String version = "";

    /** Creates the request with this number. */
    private interface Numbered {
        HttpRequest.Builder request(int number);
    }

    /** Returns names of classes by kind of request. */
    @Override
    public Map<String, Set<String>> call() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(3);
                client) {
            String url = cluster.url(1) + "/v0/entity?replicas=2/3&id=";
            Map<String, Set<String>> classes = new TreeMap<>();
            // Few keys: what compares all keys in the background must call less than the requests.
            Numbered put = i -> request(url + i % KEYS).PUT(BodyPublishers.ofString("value"));
            classes.put("PUT", called(put));
            classes.put("GET", called(i -> request(url + i % KEYS)));
            Numbered compareAndSet = i -> put.request(-1).header("If-Match", version);
            // The first one loads many classes, and may be too late for its deadline.
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> send(put.request(-1).header("If-None-Match", "*")) == 201);
            classes.put("conditional write", called(compareAndSet));
            return classes;
        }
    }

    private Set<String> called(Numbered numbered) throws Exception {
        send(numbered.request(0)); // Loads the classes.
        Set<String> inEveryRound = round(numbered);
        for (int round = 1; round < ROUNDS; round++) {
            inEveryRound.retainAll(round(numbered));
        }
        return inEveryRound;
    }

    private Set<String> round(Numbered numbered) throws Exception {
        CalledClasses.reset();
        for (int i = 0; i < REQUESTS; i++) {
            assertThat(send(numbered.request(i))).isBetween(200, 201);
        }
        return CalledClasses.calledAtLeast(REQUESTS);
    }

    private static HttpRequest.Builder request(String url) {
        return HttpRequest.newBuilder(URI.create(url));
    }

    private int send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
        version = answer.headers().firstValue("ETag").orElse("");
        return answer.statusCode();
    }
}
