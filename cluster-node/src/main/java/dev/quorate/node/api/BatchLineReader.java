package dev.quorate.node.api;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import dev.quorate.node.access.Caller;
import dev.quorate.node.access.Role;
import dev.quorate.node.api.answer.ReadCondition;
import dev.quorate.node.api.request.Authorization;
import dev.quorate.node.api.request.ContentType;
import dev.quorate.node.api.request.RequestReader;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads one line of a batch: a flat JSON object (RFC 8259) in UTF-8. Refuses members that are
 * unknown, repeated, of the wrong type, or of another operation.
 *
 * @param spec the quorum of all lines
 * @param caller the sender, who may be allowed only some of them
 */
record BatchLineReader(QuorumSpec spec, Caller caller) {

    /** Maximum length of a line, in bytes. */
    static final int MAX_LINE_BYTES = 1 << 20;

    private static final String SECONDS = "ttl";

    private static final List<String> OF_READS =
            List.of("op", "key", "keyBase64", "ifMatch", "ifNoneMatch");
    private static final List<String> OF_DELETES =
            List.of("op", "key", "keyBase64", "ifMatch", "ifNoneMatch", "version");
    private static final List<String> OF_PUTS =
            List.of(
                    "op",
                    "key",
                    "keyBase64",
                    "ifMatch",
                    "ifNoneMatch",
                    "version",
                    "value",
                    "valueBase64",
                    SECONDS,
                    "contentType");

    private static final int MAX_SHOWN = 32;

    BatchLine read(byte[] body, int from, int to) {
        try {
            if (to - from > MAX_LINE_BYTES) {
                throw new RequestRefusedException(
                        413, "A line of a batch has at most " + MAX_LINE_BYTES + " bytes.");
            }
            return line(members(text(body, from, to)));
        } catch (RequestRefusedException e) {
            return new BatchLine.Refused(e.response());
        }
    }

    private static CharBuffer text(byte[] body, int from, int to) throws RequestRefusedException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body, from, to - from));
        } catch (CharacterCodingException e) {
            throw new RequestRefusedException(400, "The line is not UTF-8.");
        }
    }

    private static Map<String, String> members(CharBuffer text) throws RequestRefusedException {
        Map<String, String> members = new HashMap<>();
        try (JsonReader json = new JsonReader(new StringReader(text.toString()))) {
            json.setStrictness(Strictness.STRICT);
            if (json.peek() != JsonToken.BEGIN_OBJECT) {
                throw new RequestRefusedException(400, "A line of a batch is one JSON object.");
            }
            json.beginObject();
            while (json.hasNext()) {
                String name = json.nextName();
                requireKnown(name, OF_PUTS, "a batch");
                if (members.put(name, value(name, json)) != null) {
                    throw new RequestRefusedException(
                            400, "'" + name + "' is given more than once.");
                }
            }
            json.endObject();
            if (json.peek() != JsonToken.END_DOCUMENT) {
                throw new RequestRefusedException(400, "A line of a batch is one JSON object.");
            }
        } catch (IOException e) {
            throw new RequestRefusedException(400, "The line is not valid JSON.");
        }
        return members;
    }

    private static String value(String name, JsonReader json)
            throws IOException, RequestRefusedException {
        JsonToken type = name.equals(SECONDS) ? JsonToken.NUMBER : JsonToken.STRING;
        if (json.peek() != type) {
            throw new RequestRefusedException(
                    400,
                    "'" + name + "' must be a " + (type == JsonToken.NUMBER ? "number." : "text."));
        }
        return json.nextString();
    }

    private static void requireKnown(String name, List<String> known, String where)
            throws RequestRefusedException {
        if (!known.contains(name)) {
            String shown = name.length() > MAX_SHOWN ? name.substring(0, MAX_SHOWN) + "…" : name;
            throw new RequestRefusedException(
                    400,
                    "The member '%s' is not known in %s; known are: %s."
                            .formatted(shown, where, String.join(", ", known)));
        }
    }

    private BatchLine line(Map<String, String> members) throws RequestRefusedException {
        String op = members.get("op");
        return switch (op) {
            case "get" -> {
                requireAll(members, OF_READS, "a get");
                yield new BatchLine.Get(key(members), ReadCondition.of(new Conditions(members)));
            }
            case "put" -> write(members, bytes("value", members));
            case "delete" -> {
                requireAll(members, OF_DELETES, "a delete");
                yield write(members, null);
            }
            case null, default ->
                    throw new RequestRefusedException(400, "'op' must be get, put or delete.");
        };
    }

    private static void requireAll(Map<String, String> members, List<String> known, String where)
            throws RequestRefusedException {
        for (String name : members.keySet()) {
            requireKnown(name, known, where);
        }
    }

    private BatchLine write(Map<String, String> members, byte @Nullable [] value)
            throws RequestRefusedException {
        Authorization.requireRole(caller, Role.WRITE);
        byte[] key = key(members);
        Duration timeToLive = RequestReader.timeToLive(members.get(SECONDS));
        String contentType = ContentType.checked("contentType", members.get("contentType"));
        HttpHeaders headers = new Conditions(members);
        Timestamp version = RequestReader.version(headers);
        Condition condition = RequestReader.writeCondition(headers, spec);
        if (condition != null && value != null) {
            RequestReader.requireConditionalLength(value.length);
        }
        NewValue put = value == null ? null : new NewValue(value, timeToLive, contentType);
        return new BatchLine.Write(key, put, version, condition);
    }

    private byte[] key(Map<String, String> members) throws RequestRefusedException {
        byte[] key = RequestReader.checked("key", bytes("key", members));
        Authorization.requireKey(caller, key);
        return key;
    }

    /** The bytes of a member that is text, or base64 under the name with "Base64". */
    private static byte[] bytes(String name, Map<String, String> members)
            throws RequestRefusedException {
        String text = members.get(name);
        String base64 = members.get(name + "Base64");
        if ((text == null) == (base64 == null)) {
            throw new RequestRefusedException(
                    400, "Either '" + name + "' or '" + name + "Base64' must be given.");
        }
        return text != null ? utf8(name, text) : decoded(name, String.valueOf(base64));
    }

    private static byte[] utf8(String name, String text) throws RequestRefusedException {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new RequestRefusedException(
                    400,
                    "'" + name + "' contains half of a surrogate pair, which is not a character.");
        }
    }

    private static byte[] decoded(String name, String base64) throws RequestRefusedException {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new RequestRefusedException(
                    400, "'" + name + "Base64' is not base64 (RFC 4648, section 4).");
        }
    }

    private record Conditions(Map<String, String> members) implements HttpHeaders {

        @Override
        public @Nullable String first(String lowerCaseName) {
            return switch (lowerCaseName) {
                case "if-match" -> tag(members.get("ifMatch"));
                case "if-none-match" -> tag(members.get("ifNoneMatch"));
                case "x-quorate-version" -> members.get("version");
                default -> null;
            };
        }

        private static @Nullable String tag(@Nullable String version) {
            boolean isTag = version == null || version.equals("*") || version.startsWith("W/");
            return isTag ? version : "\"" + version + "\"";
        }
    }
}
