package dev.quorate.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request, to any node.
 *
 * @param target path and query
 * @param headers names and values, alternating
 * @param body null for none
 */
record Request(String method, String target, List<String> headers, byte @Nullable [] body) {

    static Request get(String target) {
        return new Request("GET", target, List.of(), null);
    }

    Request with(String name, String value) {
        List<String> more = new ArrayList<>(headers);
        more.add(name);
        more.add(value);
        return new Request(method, target, more, body);
    }
}
