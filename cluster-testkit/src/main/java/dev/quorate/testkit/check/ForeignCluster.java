package dev.quorate.testkit.check;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** A running cluster without faults. */
final class ForeignCluster implements Cluster {

    private static final String NOT_OURS = "Nothing is done to a cluster of others.";

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
    public Set<FaultKind> possible() {
        return Set.of();
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
    public void kill(String node) {
        throw new UnsupportedOperationException(NOT_OURS);
    }

    @Override
    public void start(String node) {
        throw new UnsupportedOperationException(NOT_OURS);
    }

    @Override
    public void pause(String node) {
        throw new UnsupportedOperationException(NOT_OURS);
    }

    @Override
    public void resume(String node) {
        throw new UnsupportedOperationException(NOT_OURS);
    }

    @Override
    public Crowd crowd(String node) {
        throw new UnsupportedOperationException(NOT_OURS);
    }

    @Override
    public void cut(Cut cut) {
        throw new UnsupportedOperationException(NOT_OURS);
    }

    @Override
    public void heal(Cut cut) {
        throw new UnsupportedOperationException(NOT_OURS);
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
