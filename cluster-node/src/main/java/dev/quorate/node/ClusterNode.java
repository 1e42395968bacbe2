package dev.quorate.node;

import dev.quorate.node.clock.ClockReservation;
import dev.quorate.node.clock.Deadlines;
import dev.quorate.node.clock.ExecutorScheduler;
import dev.quorate.node.clock.SystemTicker;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.coordinator.Coordinator;
import dev.quorate.node.coordinator.CoordinatorOptions;
import dev.quorate.node.http.ClientApi;
import dev.quorate.node.http.ClientObserver;
import dev.quorate.node.http.HttpLimits;
import dev.quorate.node.http.HttpListener;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.replica.LocalReplica;
import dev.quorate.node.replica.ReadExecutor;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.ring.HashRing;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** One node: the composition root. */
public final class ClusterNode implements RunningNode {

    private static final Duration CLOCK_AHEAD = Duration.ofSeconds(1);
    private static final int QUEUED_READS = 1024;
    private static final int MAX_OUTSTANDING = 16_384;

    private final ExecutorScheduler scheduler = new ExecutorScheduler();
    private final KeyValueStore store;
    private final Coordinator coordinator;
    private final HttpListener clients;
    private volatile boolean draining;

    private ClusterNode(NodeOptions options, Consumer<String> fatal) throws IOException {
        Ticker ticker = SystemTicker.INSTANCE;
        DiskFiles files = new DiskFiles();
        DataDirectory data = DataDirectory.open(files, options.data(), options.self().name());
        store =
                LsmStore.open(
                        files,
                        data.store(),
                        options.storage(),
                        StoreExecutors.threads("store"),
                        ticker::nanos,
                        e -> fatal.accept(String.valueOf(e.getMessage())));
        ReadExecutor reads = new ReadExecutor(options.limits().readThreads(), QUEUED_READS);
        ClockReservation reservation =
                ClockReservation.open(
                        files,
                        data.path(),
                        ticker,
                        options.self().number(),
                        store.newestTimestamp(),
                        CLOCK_AHEAD,
                        options.timing().maxClockDrift());
        reservation.start(scheduler, reads);
        Deadlines deadlines = new Deadlines(ticker, scheduler);
        LocalReplica local =
                new LocalReplica(
                        options.self(), store, reservation.clock(), ticker, deadlines, reads);
        List<Replica> remote = new ArrayList<>();
        ReplicaSelector selector = new ReplicaSelector(new HashRing(options.topology()));
        coordinator =
                new Coordinator(
                        selector,
                        local,
                        remote,
                        reservation.clock(),
                        ticker,
                        new CoordinatorOptions(
                                options.timing().request(), MAX_OUTSTANDING, 16, 256 * 1024));
        ClientApi api =
                new ClientApi(
                        coordinator,
                        options.topology().size(),
                        options.topology().replicationFactor(),
                        (path, exchange) ->
                                exchange.respond(new HttpResponse(200, List.of(), new byte[0])),
                        () -> draining,
                        ClientObserver.NONE,
                        ticker);
        clients =
                HttpListener.start(
                        options.listening().host(),
                        options.listening().port(),
                        options.listening().selectors(),
                        "client-%d",
                        HttpLimits.defaults()
                                .withMaxBodyBytes(options.limits().maxValueBytes())
                                .withMaxConnections(options.limits().maxConnections()),
                        api,
                        ticker,
                        scheduler);
    }

    public static ClusterNode start(NodeOptions options, Consumer<String> fatal)
            throws IOException {
        return new ClusterNode(options, fatal);
    }

    @Override
    public String description() {
        return "node";
    }

    @Override
    public void stop() {
        draining = true;
        clients.close();
        store.close();
        scheduler.close();
    }
}
