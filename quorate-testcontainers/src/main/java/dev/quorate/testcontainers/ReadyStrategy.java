package dev.quorate.testcontainers;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;

/**
 * Waits until the node takes writes. Unlike the HTTP strategy of Testcontainers, it ends as soon as
 * the node has ended, for example because of a wrong option.
 */
final class ReadyStrategy extends AbstractWaitStrategy {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(90);
    private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(2);
    private static final long PAUSE_MILLIS = 100;
    private static final int SHOWN_LINES = 5;

    private final QuorateContainer node;

    ReadyStrategy(QuorateContainer node) {
        this.node = node;
        startupTimeout = DEFAULT_TIMEOUT;
    }

    @Override
    protected void waitUntilReady() {
        long begin = System.nanoTime();
        HttpClient http = client();
        HttpRequest request =
                HttpRequest.newBuilder(node.url().resolve("/readyz"))
                        .timeout(ATTEMPT_TIMEOUT)
                        .build();
        String last;
        do {
            try {
                HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
                if (answer.statusCode() == 200) {
                    return;
                }
                last = answer.statusCode() + " " + answer.body().strip();
            } catch (IOException e) {
                last = e.toString();
                if (!node.isRunning()) {
                    throw new ContainerLaunchException("The node has ended: " + lastLines());
                }
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
            pause();
        } while (System.nanoTime() - begin < startupTimeout.toNanos());
        throw new ContainerLaunchException(
                "The node is not ready after %s s: %s%n%s"
                        .formatted(startupTimeout.toSeconds(), last, lastLines()));
    }

    private HttpClient client() {
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .proxy(HttpClient.Builder.NO_PROXY)
                        .connectTimeout(ATTEMPT_TIMEOUT);
        SSLContext trust = node.trust();
        return (trust == null ? builder : builder.sslContext(trust)).build();
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static ContainerLaunchException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ContainerLaunchException("interrupted", e);
    }

    private String lastLines() {
        List<String> lines = node.getLogs().lines().filter(each -> !each.isBlank()).toList();
        return String.join(
                "\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    }
}
