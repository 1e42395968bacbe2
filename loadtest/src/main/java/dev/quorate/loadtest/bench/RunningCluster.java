package dev.quorate.loadtest.bench;

/** A cluster that is there to be measured. */
public interface RunningCluster extends AutoCloseable {

    /** {@code http://host:port} of the node that takes all requests. */
    String url();

    @Override
    void close();
}
