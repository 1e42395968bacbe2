package dev.quorate.node.admin;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import dev.quorate.node.api.request.RequestRefusedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A change of the members, as an operator asks for it: {@code {"set":[{"name":"n2","url":"…"}],
 * "dryRun":true}}.
 *
 * @param addresses the new addresses, by the names of members; not empty
 * @param isDryRun whether nothing is to be done
 */
record MemberChange(Map<String, URI> addresses, boolean isDryRun) {

    /** The last sentence of a refusal. */
    static final String NOTHING = " Nothing was changed.";

    /** Enough for new addresses of 64 members with the longest names of hosts. */
    private static final int MAX_BYTES = 1 << 15;

    private static final List<String> LATER = List.of("add", "remove", "replace", "replication");
    private static final int MAX_SHOWN = 32;

    static MemberChange parse(byte[] body) throws RequestRefusedException {
        if (body.length > MAX_BYTES) {
            throw refused(413, "The body has at most " + MAX_BYTES + " bytes.");
        }
        try (JsonReader json =
                new JsonReader(
                        new InputStreamReader(
                                new ByteArrayInputStream(body),
                                StandardCharsets.UTF_8.newDecoder()))) {
            json.setStrictness(Strictness.STRICT);
            MemberChange change = change(json);
            if (json.peek() != JsonToken.END_DOCUMENT) {
                throw refused(422, "The body is one JSON object.");
            }
            return change;
        } catch (IOException e) {
            throw refused(400, "The body is not valid JSON in UTF-8.");
        }
    }

    private static MemberChange change(JsonReader json)
            throws IOException, RequestRefusedException {
        require(json, JsonToken.BEGIN_OBJECT, "The body", "a JSON object");
        json.beginObject();
        Map<String, URI> addresses = Map.of();
        boolean isDryRun = false;
        Set<String> seen = new HashSet<>();
        while (json.hasNext()) {
            switch (name(json, seen)) {
                case "set" -> addresses = addresses(json);
                case "dryRun" -> {
                    require(json, JsonToken.BOOLEAN, "'dryRun'", "true or false");
                    isDryRun = json.nextBoolean();
                }
                case String name when LATER.contains(name) ->
                        throw refused(
                                501,
                                "'" + name + "': only addresses can be changed in this release.");
                case String name -> throw unknown(name, "'set' and 'dryRun'");
            }
        }
        json.endObject();
        if (addresses.isEmpty()) {
            throw refused(422, "'set' must list members with their new addresses.");
        }
        return new MemberChange(addresses, isDryRun);
    }

    private static Map<String, URI> addresses(JsonReader json)
            throws IOException, RequestRefusedException {
        Map<String, URI> addresses = new HashMap<>();
        require(json, JsonToken.BEGIN_ARRAY, "'set'", "a list");
        json.beginArray();
        while (json.hasNext()) {
            require(json, JsonToken.BEGIN_OBJECT, "An element of 'set'", "an object");
            json.beginObject();
            Map<String, String> member = new HashMap<>();
            Set<String> seen = new HashSet<>();
            while (json.hasNext()) {
                String name = name(json, seen);
                if (!name.equals("name") && !name.equals("url")) {
                    throw unknown(name, "'name' and 'url'");
                }
                require(json, JsonToken.STRING, "'" + name + "'", "a text");
                member.put(name, json.nextString());
            }
            json.endObject();
            String name = member.get("name");
            String url = member.get("url");
            if (name == null || url == null) {
                throw refused(422, "An element of 'set' has 'name' and 'url'.");
            }
            if (addresses.put(name, uri(url)) != null) {
                throw refused(422, "A member is named twice in 'set'.");
            }
        }
        json.endArray();
        return addresses;
    }

    private static URI uri(String url) throws RequestRefusedException {
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw refused(422, "'" + shown(url) + "' is not a URL such as http://10.0.0.1:8080.");
        }
    }

    private static String name(JsonReader json, Set<String> seen)
            throws IOException, RequestRefusedException {
        String name = json.nextName();
        if (!seen.add(name)) {
            throw refused(422, "'" + shown(name) + "' is given more than once.");
        }
        return name;
    }

    private static void require(JsonReader json, JsonToken type, String what, String is)
            throws IOException, RequestRefusedException {
        if (json.peek() != type) {
            throw refused(422, what + " must be " + is + ".");
        }
    }

    private static RequestRefusedException unknown(String name, String known) {
        return refused(422, "'" + shown(name) + "' is not known; known are " + known + ".");
    }

    private static String shown(String text) {
        return text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text;
    }

    private static RequestRefusedException refused(int status, String why) {
        return new RequestRefusedException(status, why + NOTHING);
    }
}
