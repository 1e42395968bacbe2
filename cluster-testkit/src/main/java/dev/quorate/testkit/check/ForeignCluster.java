package dev.quorate.testkit.check;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A running cluster that the check did not start and does not change. */
final class ForeignCluster implements Cluster {

    private final Map<String, URI> urls = new LinkedHashMap<>();

    ForeignCluster(List<URI> urls) {
        urls.forEach(url -> this.urls.put(url.getAuthority(), url));
    }

    @Override
    public List<String> nodes() {
        return List.copyOf(urls.keySet());
    }

    @Override
    public URI url(String node) {
        return Objects.requireNonNull(urls.get(node));
    }
}
