package dev.quorate.testkit.check;

import dev.quorate.cli.Main;
import dev.quorate.cli.local.LocalNodes;
import dev.quorate.harness.Cut;
import dev.quorate.harness.LocalCluster;
import dev.quorate.harness.RelayNetwork;
import dev.quorate.node.runtime.SystemTicker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of processes on this machine: one that is made for the check, whose nodes reach each
 * other through relays, and of which nothing stays; or one that {@code ./quorate up} has started,
 * which is left with all its nodes running.
 */
final class LocalProcesses implements Cluster {

    private final LocalNodes processes;
    private final @Nullable RelayNetwork relays;

    /** What is deleted in the end; null where nothing is. */
    private final @Nullable Path folder;

    // All guarded by this.
    private final Set<String> paused = new HashSet<>();
    private boolean keepsEvidence;
    private boolean closed;

    private LocalProcesses(
            LocalNodes processes, @Nullable RelayNetwork relays, @Nullable Path folder) {
        this.processes = processes;
        this.relays = relays;
        this.folder = folder;
    }

    /** A new cluster in a directory of its own; its nodes are being started. */
    static LocalProcesses own(int nodes) throws IOException {
        int firstPort = LocalCluster.freePorts(nodes);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            names.add("n" + (i + 1));
        }
        RelayNetwork relays =
                new RelayNetwork(
                        names,
                        name -> firstPort + names.indexOf(name) + LocalNodes.PEER_PORT_OFFSET);
        Path folder = Files.createTempDirectory("quorate-check-");
        LocalNodes processes =
                LocalNodes.create(
                        folder,
                        nodes,
                        firstPort,
                        Main.nodeCommand(),
                        name ->
                                nodes == 1
                                        ? List.of()
                                        : List.of("--peer-addresses=" + relays.addressesFor(name)),
                        SystemTicker.INSTANCE,
                        new SecureRandom());
        LocalProcesses cluster = new LocalProcesses(processes, relays, folder);
        try {
            for (String name : processes.names()) {
                cluster.start(name);
            }
        } catch (IOException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /**
     * The cluster of {@code ./quorate up --data folder}.
     *
     * @throws IOException if there is none, or not all of its nodes run
     */
    static LocalProcesses up(Path folder) throws IOException {
        LocalNodes processes =
                LocalNodes.find(folder, Main.nodeCommand(), SystemTicker.INSTANCE)
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "There is no cluster in "
                                                        + folder
                                                        + "; ./quorate up starts one."));
        for (String name : processes.names()) {
            if (!processes.isRunning(name)) {
                throw new IOException(name + " of the cluster in " + folder + " is not running.");
            }
        }
        return new LocalProcesses(processes, null, null);
    }

    @Override
    public List<String> nodes() {
        return processes.names();
    }

    @Override
    public URI url(String node) {
        return processes.url(node);
    }

    @Override
    public Set<FaultKind> possible() {
        return relays == null
                ? EnumSet.of(FaultKind.KILL, FaultKind.PAUSE, FaultKind.STRANGERS)
                : EnumSet.allOf(FaultKind.class);
    }

    @Override
    public boolean isOwn() {
        return folder != null;
    }

    @Override
    public boolean isRunning(String node) throws IOException {
        return processes.isRunning(node);
    }

    @Override
    public synchronized void kill(String node) throws IOException, InterruptedException {
        if (!closed) {
            paused.remove(node);
            processes.kill(node);
        }
    }

    @Override
    public synchronized void start(String node) throws IOException {
        if (!closed) {
            processes.start(node);
        }
    }

    @Override
    public synchronized void pause(String node) throws IOException, InterruptedException {
        if (!closed) {
            paused.add(node);
            processes.pause(node);
        }
    }

    @Override
    public synchronized void resume(String node) throws IOException, InterruptedException {
        paused.remove(node);
        processes.resume(node);
    }

    @Override
    public Crowd crowd(String node) {
        URI url = url(node);
        return Crowd.at(
                new InetSocketAddress(url.getHost(), url.getPort()),
                new InetSocketAddress(url.getHost(), url.getPort() + LocalNodes.PEER_PORT_OFFSET),
                new SplittableRandom(url.getPort()));
    }

    @Override
    public void sever(Cut cut) {
        relays().sever(cut);
    }

    @Override
    public void heal(Cut cut) {
        relays().heal(cut);
    }

    private RelayNetwork relays() {
        if (relays == null) {
            throw new UnsupportedOperationException("There are no relays between these nodes.");
        }
        return relays;
    }

    @Override
    public String evidence(String node) throws IOException {
        return processes.lastWords(node);
    }

    @Override
    public synchronized void keepEvidence() {
        keepsEvidence = true;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (folder == null) {
                for (String node : Set.copyOf(paused)) {
                    resume(node);
                }
                for (String node : nodes()) {
                    processes.start(node);
                }
                return;
            }
            for (String node : nodes()) {
                processes.kill(node);
            }
            if (!keepsEvidence) {
                delete(folder);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("The cluster could not be left as it should be: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (relays != null) {
                relays.close();
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
