package dev.quorate.loadtest.bench;

import dev.quorate.harness.CommandException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** A probe by the JDK's HTTP client. */
public final class HttpProbe implements Probe, AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(LIMIT)
                    .build();

    @Override
    public Answer get(String url) throws CommandException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).timeout(LIMIT).build();
        try {
            HttpResponse<byte[]> response =
                    client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new CommandException(url + " was not answered: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(url + " was not waited for.", e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
