package dev.quorate.spring;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the client and of the cache.
 *
 * @param nodes URLs of nodes, such as {@code http://10.0.0.1:8080}. More nodes mask more failures
 * @param token access token, for nodes with a token file
 * @param deadline deadline of operations without their own
 * @param attemptTimeout timeout of a request that can be sent to another node
 * @param connectTimeout timeout for opening a connection
 * @param ssl certificates for nodes with TLS
 */
@ConfigurationProperties("quorate")
public record QuorateProperties(
        @DefaultValue("http://localhost:8080") List<URI> nodes,
        @Nullable String token,
        @DefaultValue("5s") Duration deadline,
        @DefaultValue("2s") Duration attemptTimeout,
        @DefaultValue("1s") Duration connectTimeout,
        @DefaultValue Ssl ssl,
        @DefaultValue Cache cache) {

    /**
     * TLS.
     *
     * @param bundle name of an SSL bundle whose certificates are trusted
     */
    public record Ssl(@Nullable String bundle) {}

    /**
     * The cache. It is used if the application has no other cache manager.
     *
     * @param enabled whether Spring's cache abstraction uses Quorate
     * @param prefix prefix of all keys
     * @param timeToLive time to live of cached values, in whole seconds
     * @param classes filter of the classes that are read from the cache, as in {@code
     *     java.io.ObjectInputFilter}; nothing else is read
     */
    public record Cache(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("cache/") String prefix,
            @DefaultValue("1h") Duration timeToLive,
            @DefaultValue("java.lang.*;java.util.*;java.time.*;java.math.*") String classes) {}
}
