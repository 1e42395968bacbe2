package dev.quorate.node.admin;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.membership.ChangeRule;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of the members, as an operator asks for it: {@code {"set":[{"name":"n2","url":"…"}],
 * "dryRun":true}}. Members get other addresses; or members join, leave, are lost or get another
 * place, in one change; or the change that is in progress ends.
 *
 * @param set the members that get another address or place
 * @param add the members that join
 * @param leaves the names of members that leave
 * @param lost the names of members that are lost for good
 * @param replication copies of a key if a request specifies none; 0 if not given
 * @param acceptsLoss whether as many may be lost as a majority of a key's owners
 * @param ignoresRoom whether members may gain more than their disks have room for
 * @param isDryRun whether nothing is to be done
 */
record MemberChange(
        Map<String, Asked> set,
        Map<String, Asked> add,
        Set<String> leaves,
        Set<String> lost,
        int replication,
        boolean acceptsLoss,
        boolean ignoresRoom,
        boolean isDryRun) {

    /** The new values for one member; null for those that are not given. */
    record Asked(
            @Nullable URI url,
            @Nullable String zone,
            @Nullable Double weight,
            @Nullable Double free) {

        boolean isPlaced() {
            return zone != null || weight != null;
        }

        Member.Place place(Member.Place before) {
            return new Member.Place(
                    zone == null ? before.zone() : zone,
                    weight == null
                            ? before.weightPercent()
                            : Math.toIntExact(Math.round(Math.clamp(weight, 0, 1_000) * 100)));
        }
    }

    /** How many bytes a member that joins says that it has room for; otherwise as given. */
    long freeOf(String name, long otherwise) {
        Asked asked = add.get(name);
        return asked == null || asked.free == null ? otherwise : asked.free.longValue();
    }

    /** The last sentence of a refusal. */
    static final String NOTHING = " Nothing was changed.";

    private static final String REPLICATION = "replication";

    private static final Set<String> CHOICES = Set.of("dryRun", "acceptLoss", "ignoreRoom");

    /** Enough for new addresses of 128 members with the longest names of hosts. */
    private static final int MAX_BYTES = 1 << 16;

    /**
     * The next topology, or the same one.
     *
     * @throws IllegalArgumentException with one sentence if the members cannot change so
     * @throws IllegalStateException with one sentence if a change is in progress
     */
    Topology of(Topology current) {
        if (lost.size() > (current.replicationFactor() - 1) / 2 && !acceptsLoss) {
            throw new IllegalArgumentException(
                    "Acknowledged writes may be on the lost members alone, because they can be a"
                            + " majority of a key's owners. Accept their loss with 'acceptLoss', true.");
        }
        Map<String, URI> addresses = new HashMap<>();
        Map<String, URI> joins = new HashMap<>();
        Map<String, Member.Place> places = new HashMap<>();
        set.forEach(
                (name, asked) -> {
                    if (asked.url != null) {
                        addresses.put(name, asked.url);
                    }
                    Member member = current.member(name);
                    if (asked.isPlaced()) {
                        places.put(
                                name,
                                asked.place(member == null ? Member.Place.USUAL : member.place()));
                    }
                });
        add.forEach(
                (name, asked) -> {
                    joins.put(name, Objects.requireNonNull(asked.url));
                    places.put(name, asked.place(Member.Place.USUAL));
                });
        if (!addresses.isEmpty()) {
            return ChangeRule.withAddresses(current, addresses);
        }
        return places.isEmpty() && leaves.isEmpty() && lost.isEmpty() && replication == 0
                ? ChangeRule.withoutChange(current)
                : ChangeRule.withMembers(current, joins, leaves, lost, places, replication);
    }

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

    /** What a node that asks to join has in its query. */
    static MemberChange joining(PageRequest request) throws RequestRefusedException {
        Map<String, Object> member = new HashMap<>();
        for (String each : List.of("name", "url", "zone")) {
            String value = request.optional(each);
            if (value != null) {
                member.put(each, value);
            }
        }
        member.put("weight", request.number("weight", "a weight in percent") / 100.0);
        member.put("free", (double) request.number("free", "a number of bytes"));
        return of(Map.of("add", List.of(member)));
    }

    /** A value as a map, list, boolean, text or number; as 0 for null, which nothing here is. */
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
            case NUMBER -> json.nextDouble();
            default -> {
                json.skipValue();
                yield 0.0;
            }
        };
    }

    private static MemberChange of(Map<?, ?> body) throws RequestRefusedException {
        Set<Object> asked = new HashSet<>(body.keySet());
        asked.removeAll(CHOICES);
        boolean isValid =
                asked.equals(Set.of("cancel"))
                        ? Boolean.TRUE.equals(body.get("cancel"))
                        : !asked.isEmpty()
                                && Set.of("set", "add", "remove", "lost", REPLICATION)
                                        .containsAll(asked);
        if (!isValid || !CHOICES.stream().allMatch(each -> isChoice(body.get(each)))) {
            throw refused(
                    "The body has some of 'set' and 'add', lists of members, and 'remove' and 'lost',"
                            + " lists of names, and 'replication', a number; or 'cancel', true. It"
                            + " may have 'dryRun', 'acceptLoss' and 'ignoreRoom', true or false,"
                            + " and nothing else.");
        }
        Map<String, Asked> set = members(body, "set");
        boolean hasAddress = set.values().stream().anyMatch(each -> each.url != null);
        boolean moves = set.values().stream().anyMatch(Asked::isPlaced) || asked.size() > 1;
        if (hasAddress && moves) {
            throw refused("Addresses are changed by a request of their own.");
        }
        return new MemberChange(
                set,
                members(body, "add"),
                names(body, "remove"),
                names(body, "lost"),
                replication(body.get(REPLICATION)),
                Boolean.TRUE.equals(body.get("acceptLoss")),
                Boolean.TRUE.equals(body.get("ignoreRoom")),
                Boolean.TRUE.equals(body.get("dryRun")));
    }

    private static int replication(@Nullable Object value) throws RequestRefusedException {
        if (value == null) {
            return 0;
        }
        if (value instanceof Double number && number >= 1 && number == number.intValue()) {
            return number.intValue();
        }
        throw refused("'replication' must be a number of copies.");
    }

    private static boolean isChoice(@Nullable Object value) {
        return value == null || value instanceof Boolean;
    }

    private static List<?> list(Map<?, ?> body, String name) throws RequestRefusedException {
        Object value = body.get(name);
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list && !list.isEmpty()) {
            return list;
        }
        throw refused("'" + name + "' must be a list that is not empty.");
    }

    private static Set<String> names(Map<?, ?> body, String list) throws RequestRefusedException {
        Set<String> names = new HashSet<>();
        for (Object each : list(body, list)) {
            if (!(each instanceof String name) || !names.add(name)) {
                throw refused("'%s' has names of members, each once.".formatted(list));
            }
        }
        return names;
    }

    private static Map<String, Asked> members(Map<?, ?> body, String list)
            throws RequestRefusedException {
        Map<String, Asked> members = new HashMap<>();
        for (Object each : list(body, list)) {
            if (!(each instanceof Map<?, ?> member && member.get("name") instanceof String name)
                    || !Set.of("name", "url", "zone", "weight", "free")
                            .containsAll(member.keySet())) {
                throw refused(
                        "An element of '%s' has 'name', 'url', 'zone', 'weight' and 'free', and nothing else."
                                .formatted(list));
            }
            Asked asked =
                    new Asked(
                            address(member.get("url")),
                            optional(String.class, member.get("zone"), "A 'zone' must be a text."),
                            optional(
                                    Double.class,
                                    member.get("weight"),
                                    "A 'weight' must be a number."),
                            optional(
                                    Double.class,
                                    member.get("free"),
                                    "A 'free' must be a number."));
            boolean isComplete = list.equals("add") ? asked.url != null : member.size() > 1;
            if (!isComplete) {
                throw refused("An element of '%s' has too little in it.".formatted(list));
            }
            if (members.put(name, asked) != null) {
                throw refused("'%s' names a member twice.".formatted(list));
            }
        }
        return members;
    }

    private static @Nullable URI address(@Nullable Object value) throws RequestRefusedException {
        if (value == null) {
            return null;
        }
        try {
            if (value instanceof String text) {
                return new URI(text);
            }
        } catch (URISyntaxException e) {
            // Answered below.
        }
        throw refused("A 'url' must be a URL such as http://10.0.0.1:8080.");
    }

    private static <T> @Nullable T optional(Class<T> type, @Nullable Object value, String why)
            throws RequestRefusedException {
        if (value == null || type.isInstance(value)) {
            return type.cast(value);
        }
        throw refused(why);
    }

    private static RequestRefusedException refused(String why) {
        return refused(422, why);
    }

    static RequestRefusedException refused(int status, String why) {
        return new RequestRefusedException(status, why + NOTHING);
    }
}
