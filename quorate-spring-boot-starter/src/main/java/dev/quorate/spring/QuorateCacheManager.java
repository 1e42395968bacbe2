package dev.quorate.spring;

import dev.quorate.client.QuorateClient;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/** The caches of an application, in keys of a cluster. A cache is made when it is first used. */
final class QuorateCacheManager implements CacheManager {

    private final QuorateClient client;
    private final QuorateProperties.Cache settings;
    private final ConcurrentMap<String, Cache> caches = new ConcurrentHashMap<>();

    QuorateCacheManager(QuorateClient client, QuorateProperties.Cache settings) {
        this.client = client;
        this.settings = settings;
    }

    @Override
    public @Nullable Cache getCache(String name) {
        return caches.computeIfAbsent(name, each -> new QuorateCache(client, each, settings));
    }

    @Override
    public Collection<String> getCacheNames() {
        return caches.keySet();
    }
}
