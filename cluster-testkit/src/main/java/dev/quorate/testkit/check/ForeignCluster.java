package dev.quorate.testkit.check;

import java.net.URI;
import java.util.List;

/**
 * A running cluster that the check did not start and does not change.
 *
 * @param nodes the hosts of the nodes with their ports
 */
record ForeignCluster(List<String> nodes) implements Cluster {

    @Override
    public URI url(String node) {
        return URI.create("http://" + node);
    }
}
