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
import java.util.ArrayList;
import java.util.HashMap;
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

    private static final Set<String> LATER = Set.of("add", "remove", "replace", "replication");

    static MemberChange parse(byte[] body) throws RequestRefusedException {
        if (body.length > MAX_BYTES) {
            throw refused(413, "The body has at most " + MAX_BYTES + " bytes.");
        }
        Object value;
        try (JsonReader json =
                new JsonReader(
                        new InputStreamReader(
                                new ByteArrayInputStream(body),
                                StandardCharsets.UTF_8.newDecoder()))) {
            json.setStrictness(Strictness.STRICT);
            value = value(json);
            if (json.peek() != JsonToken.END_DOCUMENT) {
                throw refused("The body must be one JSON object.");
            }
        } catch (IOException e) {
            throw refused(400, "The body is not valid JSON in UTF-8.");
        }
        if (!(value instanceof Map<?, ?> members)) {
            throw refused("The body must be one JSON object.");
        }
        return of(members);
    }

    /** A value as a map, list, boolean or text; 0 for a number or null, which nothing here is. */
    private static Object value(JsonReader json) throws IOException, RequestRefusedException {
        return switch (json.peek()) {
            case BEGIN_OBJECT -> {
                Map<String, Object> members = new HashMap<>();
                json.beginObject();
                while (json.hasNext()) {
                    if (members.put(json.nextName(), value(json)) != null) {
                        throw refused("A name is given more than once in an object.");
                    }
                }
                json.endObject();
                yield members;
            }
            case BEGIN_ARRAY -> {
                List<Object> elements = new ArrayList<>();
                json.beginArray();
                while (json.hasNext()) {
                    elements.add(value(json));
                }
                json.endArray();
                yield elements;
            }
            case BOOLEAN -> json.nextBoolean();
            case STRING -> json.nextString();
            default -> {
                json.skipValue();
                yield 0;
            }
        };
    }

    private static MemberChange of(Map<?, ?> body) throws RequestRefusedException {
        for (Object name : body.keySet()) {
            if (LATER.contains(name)) {
                throw refused(
                        501, "'" + name + "': only addresses can be changed in this release.");
            }
        }
        if (!Set.of("set", "dryRun").containsAll(body.keySet())
                || !(body.get("set") instanceof List<?> set && !set.isEmpty())
                || !(!body.containsKey("dryRun") || body.get("dryRun") instanceof Boolean)) {
            throw refused(
                    "The body has 'set', a list of members with their new addresses, and may have"
                            + " 'dryRun', true or false, and nothing else.");
        }
        Map<String, URI> addresses = new HashMap<>();
        for (Object each : set) {
            if (!(each instanceof Map<?, ?> member && member.size() == 2)
                    || !(member.get("name") instanceof String name)
                    || !(member.get("url") instanceof String url)) {
                throw refused(
                        "An element of 'set' has 'name' and 'url', two texts, and nothing else.");
            }
            try {
                if (addresses.put(name, new URI(url)) != null) {
                    throw refused("'set' names a member twice.");
                }
            } catch (URISyntaxException e) {
                throw refused("A 'url' must be a URL such as http://10.0.0.1:8080.");
            }
        }
        return new MemberChange(addresses, Boolean.TRUE.equals(body.get("dryRun")));
    }

    private static RequestRefusedException refused(String why) {
        return refused(422, why);
    }

    static RequestRefusedException refused(int status, String why) {
        return new RequestRefusedException(status, why + NOTHING);
    }
}
