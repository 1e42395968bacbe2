package sample;

import dev.quorate.client.QuorateClient;

/** The settings of a program, as text under keys that begin with {@code setting/}. */
public record Settings(QuorateClient client) {

    /** A setting, or its default if it is not stored. */
    public String get(String name, String initial) {
        return client.get("setting/" + name).map(entry -> entry.text()).orElse(initial);
    }

    public void set(String name, String value) {
        client.put("setting/" + name, value);
    }
}
