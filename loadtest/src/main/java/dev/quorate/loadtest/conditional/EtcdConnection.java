package dev.quorate.loadtest.conditional;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.conditional.HttpConnection.Answer;
import java.io.IOException;
import java.net.URI;
import java.util.Base64;

/**
 * To an etcd, by its JSON gateway. The version is the revision of the last modification, 0 for
 * none; a conditional write is a transaction that compares it. All of etcd's reads here, and all of
 * its writes, are linearizable.
 */
final class EtcdConnection implements StoreConnection {

    private final HttpConnection connection;

    EtcdConnection(URI server) throws IOException {
        this.connection = new HttpConnection(server);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private static JsonObject withKey(String key) {
        JsonObject request = new JsonObject();
        request.addProperty("key", base64(key));
        return request;
    }

    private static JsonObject put(JsonObject key, String value) {
        key.addProperty("value", base64(value));
        return key;
    }

    private static JsonObject in(String name, JsonElement inner) {
        JsonObject outer = new JsonObject();
        outer.add(name, inner);
        return outer;
    }

    @Override
    public Held read(String key) throws IOException, RefusedFigureException {
        JsonObject found = post("/v3/kv/range", withKey(key));
        if (!found.has("kvs") || found.getAsJsonArray("kvs").isEmpty()) {
            return new Held("0", "");
        }
        JsonObject entry = found.getAsJsonArray("kvs").get(0).getAsJsonObject();
        String value = entry.has("value") ? entry.get("value").getAsString() : "";
        return new Held(
                entry.get("mod_revision").getAsString(),
                new String(Base64.getDecoder().decode(value), UTF_8));
    }

    @Override
    public Written put(String key, String value) throws IOException, RefusedFigureException {
        return new Written(revision(post("/v3/kv/put", put(withKey(key), value))), 1);
    }

    @Override
    public Written putIf(String key, String version, String value)
            throws IOException, RefusedFigureException {
        JsonObject compare = withKey(key);
        compare.addProperty("target", "MOD");
        compare.addProperty("result", "EQUAL");
        compare.addProperty("mod_revision", version);
        JsonObject transaction = in("compare", array(compare));
        transaction.add("success", array(in("request_put", put(withKey(key), value))));
        JsonObject answer = post("/v3/kv/txn", transaction);
        boolean succeeded = answer.has("succeeded") && answer.get("succeeded").getAsBoolean();
        return new Written(succeeded ? revision(answer) : null, 1);
    }

    private static JsonElement array(JsonElement only) {
        JsonArray array = new JsonArray();
        array.add(only);
        return array;
    }

    private static String revision(JsonObject answer) throws RefusedFigureException {
        if (!answer.has("header") || !answer.getAsJsonObject("header").has("revision")) {
            throw new RefusedFigureException("etcd answered without a revision: " + answer);
        }
        return answer.getAsJsonObject("header").get("revision").getAsString();
    }

    private JsonObject post(String path, JsonObject body)
            throws IOException, RefusedFigureException {
        Answer answer = connection.send("POST", path, "", body.toString());
        if (answer.status() != 200) {
            throw new RefusedFigureException(
                    "etcd answered %s with %d %s".formatted(path, answer.status(), answer.body()));
        }
        try {
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException e) {
            throw new RefusedFigureException("etcd's answer is no JSON object: " + answer.body());
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
