package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.harrel.jsonschema.providers.GsonNode;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The description of the API in OpenAPI 3.1, as what answers must conform to. */
final class ApiDescription {

    private static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";

    private static final String ANY_TYPE = "*/*";

    /** Headers that any answer may have. */
    private static final Set<String> ANY =
            Set.of(
                    "connection",
                    "content-length",
                    "content-security-policy",
                    "content-type",
                    "transfer-encoding",
                    "x-content-type-options");

    private final JsonObject document;
    private final ValidatorFactory schemas =
            new ValidatorFactory().withJsonNodeFactory(new GsonNode.Factory());

    /** What was answered: method, path and status. */
    final Set<String> seen = new TreeSet<>();

    ApiDescription(String text) {
        document = JsonParser.parseString(text).getAsJsonObject();
    }

    /** All operations, as method and path. */
    Set<String> operations() {
        Set<String> operations = new TreeSet<>();
        document.getAsJsonObject("paths")
                .asMap()
                .forEach(
                        (path, item) ->
                                item.getAsJsonObject()
                                        .keySet()
                                        .forEach(
                                                method ->
                                                        operations.add(
                                                                upper(method) + " " + path)));
        return operations;
    }

    /** The parameters of an operation that are in a place: query or header. */
    Set<String> parameters(String method, String path, String place) {
        JsonElement parameters = operation(method, path).get("parameters");
        Set<String> names = new TreeSet<>();
        if (parameters != null) {
            for (JsonElement each : parameters.getAsJsonArray()) {
                JsonObject parameter = resolved(each);
                if (parameter.get("in").getAsString().equals(place)) {
                    names.add(parameter.get("name").getAsString());
                }
            }
        }
        return names;
    }

    private static String upper(String method) {
        return method.toUpperCase(Locale.ROOT);
    }

    private JsonObject operation(String method, String path) {
        return document.getAsJsonObject("paths")
                .getAsJsonObject(path)
                .getAsJsonObject(method.toLowerCase(Locale.ROOT));
    }

    /** Follows a reference within the document. */
    private JsonObject resolved(JsonElement element) {
        JsonObject object = element.getAsJsonObject();
        if (!object.has("$ref")) {
            return object;
        }
        JsonObject at = document;
        for (String name :
                object.get("$ref").getAsString().substring("#/".length()).split("/", -1)) {
            at = at.getAsJsonObject(name);
            assertThat(at).as("reference " + object).isNotNull();
        }
        return at;
    }

    /** Every reference leads somewhere, and every operation has a name of its own. */
    void requireWhole() {
        requireWhole(document, new HashSet<>());
    }

    private void requireWhole(JsonElement element, Set<String> names) {
        if (element instanceof JsonArray array) {
            array.forEach(each -> requireWhole(each, names));
        } else if (element instanceof JsonObject object) {
            assertThat(resolved(object)).isNotNull();
            if (object.has("operationId")) {
                assertThat(names.add(object.get("operationId").getAsString()))
                        .as("operationId of its own: " + object.get("operationId"))
                        .isTrue();
            }
            object.asMap().values().forEach(each -> requireWhole(each, names));
        }
    }

    /** Checks an answer: its status, type, headers and body. */
    void requireDescribed(String method, String path, HttpResponse<String> answer) {
        String what = method + " " + path + " " + answer.statusCode();
        JsonObject item = document.getAsJsonObject("paths").getAsJsonObject(path);
        if (item == null) {
            assertThat(answer.statusCode()).as(what).isEqualTo(400);
            return;
        }
        if (!item.has(method.toLowerCase(Locale.ROOT))) {
            requireNotAllowed(what, item, answer);
            return;
        }
        seen.add(what);
        JsonElement response =
                operation(method, path)
                        .getAsJsonObject("responses")
                        .get(Integer.toString(answer.statusCode()));
        assertThat(response).as("described: " + what + ": " + answer.body()).isNotNull();
        requireHeaders(what, resolved(response), answer);
        requireContent(what, method, resolved(response), answer);
    }

    private static void requireNotAllowed(
            String what, JsonObject item, HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(what).isEqualTo(405);
        String allow = answer.headers().firstValue("allow").orElseThrow();
        Set<String> methods = new TreeSet<>();
        item.keySet().forEach(method -> methods.add(upper(method)));
        assertThat(new TreeSet<>(List.of(allow.split(", ")))).as(what).isEqualTo(methods);
    }

    private void requireHeaders(String what, JsonObject response, HttpResponse<String> answer) {
        JsonObject described =
                response.has("headers") ? response.getAsJsonObject("headers") : new JsonObject();
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(described.keySet());
        for (String name : answer.headers().map().keySet()) {
            assertThat(ANY.contains(name.toLowerCase(Locale.ROOT)) || names.contains(name))
                    .as("header " + name + " of " + what)
                    .isTrue();
        }
        for (Map.Entry<String, JsonElement> each : described.asMap().entrySet()) {
            JsonObject header = resolved(each.getValue());
            String name = each.getKey();
            if (header.has("required") && header.get("required").getAsBoolean()) {
                assertThat(answer.headers().firstValue(name)).as(name + " of " + what).isPresent();
            }
            for (String value : answer.headers().allValues(name)) {
                boolean isNumber =
                        resolved(header.get("schema")).get("type").getAsString().equals("integer");
                requireValid(
                        what + " " + name, header.get("schema"), isNumber ? value : quoted(value));
            }
        }
    }

    private static String quoted(String value) {
        return new JsonPrimitive(value).toString();
    }

    private void requireContent(
            String what, String method, JsonObject response, HttpResponse<String> answer) {
        String type =
                answer.headers().firstValue("content-type").orElse("").split(";", 2)[0].strip();
        JsonObject content = response.getAsJsonObject("content");
        if (content == null) {
            assertThat(answer.body()).as(what).isEmpty();
            return;
        }
        if (content.keySet().equals(Set.of(ANY_TYPE))) {
            assertThat(type).as("type of " + what).contains("/");
            return;
        }
        assertThat(content.keySet()).as("types of " + what).contains(type);
        JsonElement schema = content.getAsJsonObject(type).get("schema");
        if (method.equals("HEAD")) {
            assertThat(answer.body()).as(what).isEmpty();
        } else if (type.endsWith("json") && !type.endsWith("ndjson")) {
            requireValid(what, schema, answer.body());
        } else if (type.endsWith("ndjson")) {
            answer.body().lines().forEach(line -> requireValid(what, schema, line));
        }
    }

    /** Checks each example of a request or an answer; returns how many there are. */
    int requireValidExamples() {
        return requireValidExamples(document);
    }

    private int requireValidExamples(JsonElement element) {
        int count = 0;
        if (element instanceof JsonArray array) {
            for (JsonElement each : array) {
                count += requireValidExamples(each);
            }
        } else if (element instanceof JsonObject object) {
            if (object.has("schema") && object.has("example")) {
                String example = object.get("example").toString();
                requireValid("the example " + example, object.get("schema"), example);
                count++;
            }
            for (JsonElement each : object.asMap().values()) {
                count += requireValidExamples(each);
            }
        }
        return count;
    }

    /** Checks a JSON text against a schema of the document. */
    void requireValid(String what, JsonElement schema, String json) {
        JsonObject root = new JsonObject();
        root.addProperty("$schema", DIALECT);
        root.add("components", document.get("components"));
        JsonArray all = new JsonArray();
        all.add(schema);
        root.add("allOf", all);
        Validator.Result result = schemas.validate(root, json);
        String errors =
                result.getErrors().stream()
                        .map(each -> each.getInstanceLocation() + ": " + each.getError())
                        .toList()
                        .toString();
        assertThat(result.isValid()).as(what + "\n" + json + "\n" + errors).isTrue();
    }

    /** A schema by its name. */
    JsonElement schema(String name) {
        return document.getAsJsonObject("components").getAsJsonObject("schemas").get(name);
    }
}
