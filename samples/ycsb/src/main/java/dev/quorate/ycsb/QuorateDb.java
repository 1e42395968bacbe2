package dev.quorate.ycsb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.codehaus.jackson.JsonNode;
import org.codehaus.jackson.map.ObjectMapper;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * Asks a cluster over HTTP. YCSB makes one for each of its threads.
 *
 * <p>A row is one value ({@link Rows}), so that an update of some of its fields reads it first; an
 * update of two clients at a time may lose one of them. With {@code writeallfields=true} nothing is
 * read. Properties: {@code quorate.urls}, nodes that the threads take in turn, divided by commas
 * (the default is {@code http://localhost:8080}); {@code quorate.replicas} (the default is {@code
 * 2/3}).
 */
public final class QuorateDb extends DB {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final AtomicInteger INSTANCES = new AtomicInteger();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(LIMIT)
                    .build();

    private String url = "";
    private String replicas = "";
    private boolean writesAllFields;

    /** Made by YCSB, which then calls {@link #init}. */
    public QuorateDb() {}

    @Override
    public void init() throws DBException {
        String[] urls =
                getProperties().getProperty("quorate.urls", "http://localhost:8080").split(",", -1);
        url = urls[INSTANCES.getAndIncrement() % urls.length].strip();
        replicas = getProperties().getProperty("quorate.replicas", "2/3");
        writesAllFields =
                Boolean.parseBoolean(getProperties().getProperty("writeallfields", "false"));
        try {
            if (!"http".equals(URI.create(url).getScheme())) {
                throw new DBException("quorate.urls has to have http://HOST:PORT, not " + url);
            }
        } catch (IllegalArgumentException e) {
            throw new DBException("quorate.urls has no URL: " + url, e);
        }
    }

    @Override
    public void cleanup() {
        client.close();
    }

    @Override
    public Status read(
            String table,
            String key,
            @Nullable Set<String> fields,
            Map<String, ByteIterator> result) {
        return answered(
                () -> {
                    HttpResponse<byte[]> response = get(table, key);
                    if (response.statusCode() == 200) {
                        copy(Rows.decode(response.body()), fields, result);
                    }
                    return status(response.statusCode(), 200);
                });
    }

    @Override
    @SuppressWarnings("NonApiType") // YCSB's signature
    public Status scan(
            String table,
            String startkey,
            int recordcount,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        return answered(
                () -> {
                    URI range =
                            URI.create(
                                    url
                                            + "/v0/entities?start="
                                            + encoded(id(table, startkey))
                                            + "&end="
                                            + encoded(table + "0") // '0' follows '/'
                                            + "&limit="
                                            + recordcount
                                            + "&replicas="
                                            + replicas);
                    HttpResponse<Stream<String>> response =
                            client.send(
                                    HttpRequest.newBuilder(range)
                                            .timeout(LIMIT)
                                            .header("Accept", "application/x-ndjson")
                                            .build(),
                                    BodyHandlers.ofLines());
                    try (Stream<String> lines = response.body()) {
                        if (response.statusCode() == 200) {
                            for (String line : (Iterable<String>) lines::iterator) {
                                HashMap<String, ByteIterator> row = new HashMap<>();
                                copy(Rows.decode(value(line)), fields, row);
                                result.add(row);
                            }
                        }
                    }
                    return status(response.statusCode(), 200);
                });
    }

    private static byte[] value(String line) throws IOException {
        JsonNode value = JSON.readTree(line).get("value");
        if (value == null) {
            throw new IOException("an entry without a value");
        }
        return Base64.getDecoder().decode(value.getTextValue());
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        if (writesAllFields) {
            return insert(table, key, values);
        }
        return answered(
                () -> {
                    HttpResponse<byte[]> response = get(table, key);
                    if (response.statusCode() != 200) {
                        return status(response.statusCode(), 200);
                    }
                    Map<String, ByteIterator> row = Rows.decode(response.body());
                    row.putAll(values);
                    return put(table, key, row);
                });
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        return answered(() -> put(table, key, values));
    }

    @Override
    public Status delete(String table, String key) {
        return answered(() -> status(send(entity(table, key).DELETE().build()).statusCode(), 202));
    }

    /** Something that asks. */
    private interface Asking {
        Status ask() throws IOException, InterruptedException;
    }

    private static Status answered(Asking asking) {
        try {
            return asking.ask();
        } catch (IOException e) {
            return new Status("NO_ANSWER", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Status("NO_ANSWER", "interrupted");
        }
    }

    private static Status status(int status, int expected) {
        if (status == expected) {
            return Status.OK;
        }
        return switch (status) {
            case 404 -> Status.NOT_FOUND;
            case 400 -> Status.BAD_REQUEST;
            case 503 -> Status.SERVICE_UNAVAILABLE;
            default -> new Status("HTTP_" + status, "answered with status " + status);
        };
    }

    private static void copy(
            Map<String, ByteIterator> row,
            @Nullable Set<String> fields,
            Map<String, ByteIterator> result) {
        row.forEach(
                (name, content) -> {
                    if (fields == null || fields.contains(name)) {
                        result.put(name, content);
                    }
                });
    }

    private HttpResponse<byte[]> get(String table, String key)
            throws IOException, InterruptedException {
        return send(entity(table, key).GET().build());
    }

    private Status put(String table, String key, Map<String, ByteIterator> row)
            throws IOException, InterruptedException {
        HttpRequest request =
                entity(table, key).PUT(BodyPublishers.ofByteArray(Rows.encode(row))).build();
        return status(send(request).statusCode(), 201);
    }

    private HttpResponse<byte[]> send(HttpRequest request)
            throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofByteArray());
    }

    private HttpRequest.Builder entity(String table, String key) {
        String query = "id=" + encoded(id(table, key)) + "&replicas=" + replicas;
        return HttpRequest.newBuilder(URI.create(url + "/v0/entity?" + query)).timeout(LIMIT);
    }

    private static String id(String table, String key) {
        return table + "/" + key;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20");
    }
}
