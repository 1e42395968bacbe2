package dev.quorate.spring;

import dev.quorate.client.QuorateClient;
import dev.quorate.client.WriteOptions;
import java.io.ObjectInputFilter;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/** The caches of an application, in keys of a cluster. A cache is made when it is first used. */
final class QuorateCacheManager implements CacheManager {

    private final QuorateClient client;
    private final String prefix;
    private final WriteOptions options;
    private final ObjectInputFilter filter;
    private final ConcurrentMap<String, Cache> caches = new ConcurrentHashMap<>();

    /**
     * @throws IllegalArgumentException if the time to live or the filter is invalid
     */
    QuorateCacheManager(QuorateClient client, QuorateProperties.Cache settings) {
        this.client = client;
        this.prefix = settings.prefix();
        this.options = WriteOptions.DEFAULT.timeToLive(settings.timeToLive());
        // Deep values take exponential time to read. Spring stores NullValue for null.
        this.filter =
                ObjectInputFilter.Config.createFilter(
                        "maxdepth=20;org.springframework.cache.support.NullValue;"
                                + settings.classes()
                                + ";!*");
    }

    @Override
    public @Nullable Cache getCache(String name) {
        return caches.computeIfAbsent(
                name, each -> new QuorateCache(client, each, prefix, options, filter));
    }

    @Override
    public Collection<String> getCacheNames() {
        return caches.keySet();
    }
}
