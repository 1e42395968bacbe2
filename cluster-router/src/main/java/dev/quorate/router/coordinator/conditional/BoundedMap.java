package dev.quorate.router.coordinator.conditional;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map of at most {@value #MAX_KEYS} keys; the key added first is dropped. */
final class BoundedMap<K, V> extends LinkedHashMap<K, V> {

    static final int MAX_KEYS = 4_096;

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > MAX_KEYS;
    }
}
