package dev.quorate.loadtest.beside;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.quorate.harness.CommandException;
import dev.quorate.harness.NodeClient;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Asks an etcd, by its JSON gateway, whether it can be measured. */
final class EtcdQuestions {

    private static final int NOT_FOUND = 404;
    private static final int UNAUTHENTICATED = 16;

    private final String url;
    private final NodeClient client;

    EtcdQuestions(String url, NodeClient client) {
        this.url = url;
        this.client = client;
    }

    /** Its version, and how many members it has. */
    String description() throws CommandException {
        HttpResponse<byte[]> answer = send(NodeClient.request(url + "/version").build());
        JsonElement version = json(answer).get("etcdserver");
        if (answer.statusCode() != 200 || version == null || !version.isJsonPrimitive()) {
            throw notEtcd();
        }
        // A key that is shorter than any that is loaded.
        HttpResponse<byte[]> range = post("/v3/kv/range", "{\"key\":\"YmVuY2g=\"}");
        requireAccess(range);
        if (range.statusCode() != 200) {
            throw new CommandException(
                    "%s, an etcd %s, answered a read by its JSON gateway with status %d%s."
                            .formatted(
                                    url,
                                    version.getAsString(),
                                    range.statusCode(),
                                    range.statusCode() == NOT_FOUND
                                            ? ": it takes etcd 3.4 or newer, with the gateway on"
                                            : ""));
        }
        JsonElement members = json(post("/v3/cluster/member/list", "{}")).get("members");
        int count = members != null && members.isJsonArray() ? members.getAsJsonArray().size() : 1;
        return "etcd %s with %d member%s, by its JSON gateway; reads are linearizable"
                .formatted(version.getAsString(), count, count == 1 ? "" : "s");
    }

    private void requireAccess(HttpResponse<byte[]> answer) throws CommandException {
        JsonObject json = json(answer);
        String message = json.has("error") ? json.get("error").toString() : "";
        boolean isDenied =
                answer.statusCode() == 401
                        || answer.statusCode() == 403
                        || message.contains("user name is empty")
                        || (json.has("code")
                                && json.get("code").toString().equals("" + UNAUTHENTICATED));
        if (isDenied) {
            throw new CommandException(
                    url + " requires authentication, which this does not know: " + message);
        }
    }

    private HttpResponse<byte[]> post(String path, String body) throws CommandException {
        return send(
                NodeClient.request(url + path)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build());
    }

    private HttpResponse<byte[]> send(HttpRequest request) throws CommandException {
        try {
            return client.send(request, BodyHandlers.ofByteArray());
        } catch (ConnectException e) {
            throw new CommandException("nothing listens at " + url + ".", e);
        } catch (IOException e) {
            throw new CommandException(url + " is no etcd, or speaks TLS: " + e.getMessage(), e);
        }
    }

    private static JsonObject json(HttpResponse<byte[]> answer) {
        try {
            JsonElement json = JsonParser.parseString(new String(answer.body(), UTF_8));
            return json.isJsonObject() ? json.getAsJsonObject() : new JsonObject();
        } catch (JsonParseException e) {
            return new JsonObject();
        }
    }

    private CommandException notEtcd() {
        return new CommandException(url + " is no etcd: its /version does not say so.");
    }
}
