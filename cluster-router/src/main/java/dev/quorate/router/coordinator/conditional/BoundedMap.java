package dev.quorate.router.coordinator.conditional;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map of at most {@code most} keys; the key added first is dropped. */
final class BoundedMap<K, V> extends LinkedHashMap<K, V> {

    private final int most;

    BoundedMap(int most) {
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}
