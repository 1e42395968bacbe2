package dev.quorate.testkit.check;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A running cluster without faults. */
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

    @Override
    public boolean isOwn() {
        return false;
    }

    @Override
    public boolean isRunning(String node) {
        return true;
    }

    @Override
    public void apply(Fault fault, boolean begins) {
        throw new UnsupportedOperationException("Nothing is done to a cluster of others.");
    }

    @Override
    public String logTail(String node) {
        return "";
    }

    @Override
    public void preserveLogs() {
        // There is none.
    }

    @Override
    public void close() {
        // The cluster stays as it is.
    }
}
