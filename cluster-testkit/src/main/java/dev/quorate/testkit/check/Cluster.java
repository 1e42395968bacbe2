package dev.quorate.testkit.check;

import dev.quorate.harness.Cut;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Set;

/**
 * The cluster that is checked. What is asked of a node that is not there to do it does nothing.
 * Closing leaves it as it was found: whole, or gone.
 */
interface Cluster extends AutoCloseable {

    List<String> nodes();

    /** Where clients reach a node. */
    URI url(String node);

    /** What can be done to it. */
    Set<FaultKind> possible();

    /** Whether it is there for this check alone, so that it does not matter what is left in it. */
    boolean isOwn();

    boolean isRunning(String node) throws IOException;

    void kill(String node) throws IOException, InterruptedException;

    void start(String node) throws IOException;

    void pause(String node) throws IOException, InterruptedException;

    void resume(String node) throws IOException, InterruptedException;

    /** Strangers at its ports, until they are told to leave. */
    Crowd crowd(String node);

    void sever(Cut cut);

    void heal(Cut cut);

    /** Where there is more to read of what went wrong; empty if nowhere. */
    String evidence(String node) throws IOException;

    /** From now on, what the nodes wrote stays when this is closed. */
    void keepEvidence();

    @Override
    void close();
}
