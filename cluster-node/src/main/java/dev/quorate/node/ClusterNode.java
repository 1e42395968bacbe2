package dev.quorate.node;

import dev.quorate.node.access.Authentication;
import dev.quorate.node.admin.CheckpointFilePages;
import dev.quorate.node.admin.CheckpointPages;
import dev.quorate.node.admin.Drain;
import dev.quorate.node.admin.JoinPages;
import dev.quorate.node.admin.MemberPages;
import dev.quorate.node.admin.NodePages;
import dev.quorate.node.admin.NodeView;
import dev.quorate.node.admin.NodeWatch;
import dev.quorate.node.admin.RequestMetrics;
import dev.quorate.node.api.ApiOptions;
import dev.quorate.node.api.ClientApi;
import dev.quorate.node.api.FirstSeconds;
import dev.quorate.node.api.answer.OperationLog;
import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.request.KnownHosts;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.checkpoint.CheckpointFiles;
import dev.quorate.node.checkpoint.Checkpoints;
import dev.quorate.node.checkpoint.LastBackup;
import dev.quorate.node.config.JoinTokens;
import dev.quorate.node.config.NodeOption;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.Secret;
import dev.quorate.node.console.Console;
import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.budget.Descriptors;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.HttpListener;
import dev.quorate.node.http.connection.ListeningPort;
import dev.quorate.node.tls.PeerTls;
import dev.quorate.node.tls.TlsContext;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.ReadExecutor;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Repeated;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.runtime.Turn;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.HttpLinks;
import dev.quorate.storage.Figures;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreClocks;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node: the composition root, and the only class that wires across packages.
 *
 * <p>Read the constructor from top to bottom: it creates the parts in the order of their
 * dependencies. They are closed in reverse order, also if the start fails.
 */
public final class ClusterNode {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);

    private static final int READ_THREADS = Math.max(2, Runtime.getRuntime().availableProcessors());

    private static final int QUEUED_READS = 1_024;
    private static final int QUEUED_PAGES = 64;
    private static final int QUEUED_CHECKPOINTS = 16;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

    /** Interval of checks while requests wait in the first seconds. */
    private static final Duration FIRST_CHECK = Duration.ofMillis(20);

    private final NodeOptions options;
    private final NodeSurroundings surroundings;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Parts parts = new Parts();
    private final NodeCore core;
    private final @Nullable Supplier<TlsContext> tls;
    private final HttpListener peers;
    private final HttpListener clients;
    private final EventLog events;
    private final Console console;

    private final Drain drain;

    private volatile boolean refusing;

    private boolean stopped;

    static NodeSurroundings machine() {
        return new NodeSurroundings(
                new DiskFiles(),
                SystemTicker.INSTANCE,
                UnaryOperator.identity(),
                (peer, link) -> link,
                UnaryOperator.identity(),
                topology -> new Ring(topology),
                Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 8));
    }

    private ClusterNode(NodeOptions options, NodeSurroundings surroundings, Consumer<String> fatal)
            throws IOException {
        this.options = options;
        this.surroundings = surroundings;
        ticker = surroundings.ticker();
        scheduler = surroundings.timers().apply(parts.add(new ExecutorScheduler("timer")));
        try {
            FollowedFiles files = new FollowedFiles(scheduler, single("files"), parts);
            Authentication authentication = files.authentication(options);
            tls = files.tls(options);
            Supplier<Secret> secret = files.secret(options);
            ReadExecutor blocking = parts.add(new ReadExecutor(READ_THREADS, QUEUED_READS));
            events = new EventLog(ticker);
            HttpLinks links =
                    parts.add(
                            new HttpLinks(
                                    options::peerAddresses,
                                    CONNECT_TIMEOUT,
                                    single("addresses"),
                                    ticker,
                                    tls == null ? "http" : "https",
                                    PeerTls.ofPeers(tls)));
            Descriptors descriptors = Descriptors.ofProcess();
            PortSettings ports = new PortSettings(options, tls, descriptors);
            ByteBudget values =
                    new ByteBudget(ports.largeValueBytes() + PortSettings.smallValueBytes());
            ByteBudget largeValues = values.part(ports.largeValueBytes());
            core =
                    parts.add(
                            new NodeCore(
                                    options,
                                    new NodeEffects(
                                            surroundings.files(),
                                            new NodeRuntime(
                                                    ticker,
                                                    scheduler,
                                                    new SecureRandom(),
                                                    blocking,
                                                    events),
                                            this::openStore,
                                            single("clock"),
                                            peer ->
                                                    surroundings
                                                            .links()
                                                            .apply(peer, links.apply(peer)),
                                            fatal),
                                    largeValues,
                                    surroundings.rings().apply(options.topology()),
                                    secret));
            events.info(
                    "%s started, version %s; %s"
                            .formatted(
                                    options.self().name(),
                                    version(),
                                    core.store().recoverySummary()));
            awaitWallClock(core.catchUpMillis());
            core.startClock(
                    surroundings.timers().apply(parts.add(new ExecutorScheduler("clock-timer"))));
            HttpHandler door = surroundings.doors().apply(core.peerDoor());
            peers =
                    parts.add(
                            listen(
                                    ports.peerPort(surroundings.peerSelectors()),
                                    ports.peerLimits(),
                                    door,
                                    largeValues));
            core.seekPeers();
            links.awaitLookUps();
            drain = new Drain(core::announceStop);
            RequestMetrics requests = new RequestMetrics();
            NodeView view = view();
            console = parts.add(new Console(view, requests, ticker));
            core.membership().setLoad(console::load);
            ClientApi api = clientApi(pages(view, requests, secret), requests, authentication);
            HttpHandler edge = surroundings.doors().apply(inFirstSeconds(api));
            warnOfFewDescriptors(descriptors);
            clients =
                    parts.add(listen(ports.clientPort(), ports.clientLimits(), edge, largeValues));
            observe(new NodeWatch(view, options.get(NodeOption.MAX_CLOCK_DRIFT)));
        } catch (IOException | RuntimeException | Error e) {
            parts.close();
            throw e;
        }
    }

    /**
     * Starts a node, which serves when this returns.
     *
     * @param fatal called when the node must not continue, as after a failed fsync
     * @throws BindException if a port is in use
     * @throws IOException if the data directory belongs to another member
     * @throws dev.quorate.storage.StorageException if the store cannot be opened
     */
    public static ClusterNode start(NodeOptions options, Consumer<String> fatal)
            throws IOException {
        return start(options, machine(), fatal);
    }

    /** Starts a node in surroundings of a test. */
    public static ClusterNode start(
            NodeOptions options, NodeSurroundings surroundings, Consumer<String> fatal)
            throws IOException {
        return new ClusterNode(options, surroundings, fatal);
    }

    /** The version of this build, which is in the manifest of the jar. */
    public static String version() {
        String version = ClusterNode.class.getPackage().getImplementationVersion();
        return version == null ? "(not packaged)" : version;
    }

    private KeyValueStore openStore(
            Path directory,
            StorageOptions storage,
            LongSupplier expiredMillis,
            StoreListener listener) {
        return LsmStore.open(
                surroundings.files(),
                directory,
                storage,
                wokenOnceATurn(StoreExecutors.threads(String.valueOf(directory.getFileName()))),
                new StoreClocks(ticker::nanos, ticker::wallMillis, expiredMillis),
                listener);
    }

    /** Wakes the log once for all writes of a selector's turn. */
    private static StoreExecutors wokenOnceATurn(StoreExecutors threads) {
        return threads.withLog(task -> Turn.atEnd(() -> threads.log().execute(task)));
    }

    /** A separate thread for work that must neither wait for reads nor delay them. */
    private Executor single(String name) {
        ExecutorService thread =
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().name(name).daemon().factory());
        parts.add(thread::shutdown);
        return thread;
    }

    /** Waits, after a crash, until this node's clock is not ahead of the others'. */
    private void awaitWallClock(long millis) {
        if (millis == 0) {
            return;
        }
        CountDownLatch caughtUp = new CountDownLatch(1);
        scheduler.after(Duration.ofMillis(millis), caughtUp::countDown);
        try {
            caughtUp.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpHandler inFirstSeconds(ClientApi api) {
        Executor executor = single("first");
        return new FirstSeconds(
                api,
                () -> refuses() || core.voters() >= QuorumSpec.majority(replicationFactor()).ack(),
                ticker,
                options.get(NodeOption.REQUEST_TIMEOUT),
                check -> scheduler.after(FIRST_CHECK, () -> execute(executor, check)));
    }

    /** Runs a task unless the node has stopped. */
    private static void execute(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException stopped) {
            LOG.debug("Stopped before {}", task);
        }
    }

    private boolean refuses() {
        return refusing || core.membership().isRemoved();
    }

    private int replicationFactor() {
        return core.placement().current().topology().replicationFactor();
    }

    private Map<Route, PageHandler> pages(
            NodeView view, RequestMetrics requests, @Nullable Supplier<Secret> secret) {
        Map<Route, PageHandler> pages = new EnumMap<>(Route.class);
        Executor background = parts.add(new ReadExecutor(1, QUEUED_PAGES));
        new NodePages(view, background)
                .addTo(pages, requests, parts.add(new ReadExecutor(1, QUEUED_PAGES)));
        console.addTo(pages, background);
        checkpointPages(view).addTo(pages);
        MemberPages members = new MemberPages(view, core.epochs()::change, background);
        members.addTo(pages);
        new JoinPages(
                        members,
                        secret,
                        options.get(NodeOption.JOIN_TOKENS) == JoinTokens.REQUIRED,
                        options.self().name(),
                        ticker,
                        new SecureRandom())
                .addTo(pages);
        new CheckpointFilePages(
                        new CheckpointFiles(surroundings.files(), options.get(NodeOption.DATA)),
                        parts.add(new ReadExecutor(1, QUEUED_PAGES)))
                .addTo(pages);
        return pages;
    }

    private ClientApi clientApi(
            Map<Route, PageHandler> pages, RequestMetrics requests, Authentication authentication) {
        return new ClientApi(
                core.coordinator(),
                new ApiOptions(
                        () -> core.placement().current().before().topology().size(),
                        this::replicationFactor,
                        options.get(NodeOption.CORS_ORIGINS),
                        authentication,
                        options.get(NodeOption.RANGES_PER_ADDRESS),
                        new OperationLog(
                                options.get(NodeOption.SLOW_OPERATION), ticker, new SecureRandom()),
                        knownHosts(),
                        tls == null ? "http" : "https"),
                pages,
                this::refuses,
                requests,
                parts.add(new ReadExecutor(1, ClientApi.MAX_TASKS)),
                ticker);
    }

    /** Requires the open store, so that no other process uses the directory. */
    private CheckpointPages checkpointPages(NodeView view) {
        Checkpoints checkpoints =
                new Checkpoints(
                        surroundings.files(),
                        options.get(NodeOption.DATA),
                        core.store(),
                        core.membership()::votes,
                        options.storage().reservedDiskBytes(),
                        ticker);
        checkpoints.removeLeftovers();
        return new CheckpointPages(
                checkpoints,
                new LastBackup(surroundings.files(), options.get(NodeOption.DATA), ticker)
                        .register(view.figures()),
                parts.add(new ReadExecutor(1, QUEUED_CHECKPOINTS)),
                parts.add(new ReadExecutor(1, QUEUED_PAGES)));
    }

    /** Uses a thread of its own, because the watch reads the free bytes of the disk. */
    private void observe(NodeWatch watch) {
        parts.add(
                new Repeated(
                        () -> {
                            watch.check();
                            console.tick();
                        },
                        NodeWatch.PERIOD,
                        scheduler,
                        single("observer")));
    }

    /** The hosts of the topologies of the options and in use, and those that the options add. */
    private KnownHosts knownHosts() {
        List<String> names = new ArrayList<>(options.get(NodeOption.KNOWN_HOSTS));
        names.add(options.get(NodeOption.HOST));
        names.addAll(hosts(options.topology()));
        return new KnownHosts(names, name -> hosts(core.topology().current()).contains(name));
    }

    private static List<String> hosts(Topology topology) {
        return topology.members().stream().map(member -> member.url().getHost()).toList();
    }

    private NodeView view() {
        return new NodeView(
                options.self(),
                core.placement()::current,
                version(),
                HttpListener.socketImplementation(),
                core.store().recoverySummary(),
                options.storage().reservedDiskBytes(),
                drain,
                figures(),
                core::logTimes,
                core.membership(),
                core::voters,
                core.transport()::health,
                core.handoff()::statistics,
                core.repairs()::status,
                core.repairs()::begin,
                core.healing()::loss,
                core.healing()::acceptLoss,
                core.inquiries()::ask,
                () -> Map.of("client", clients, "peer", peers),
                events);
    }

    private Figures figures() {
        Figures figures = core.figures();
        if (tls != null) {
            figures.addAll(TlsContext.figures(tls));
        }
        return figures;
    }

    private HttpListener listen(
            ListeningPort port, HttpLimits limits, HttpHandler handler, ByteBudget largeValues)
            throws IOException {
        try {
            return HttpListener.start(port, limits, handler, largeValues, ticker, scheduler);
        } catch (BindException e) {
            String message = options.cannotListen(String.valueOf(e.getMessage()));
            BindException named = new BindException(message);
            named.initCause(e);
            throw named;
        }
    }

    private void warnOfFewDescriptors(Descriptors descriptors) {
        int most = options.get(NodeOption.MAX_CONNECTIONS);
        if (most > descriptors.forClients()) {
            LOG.warn(
                    "max-connections is {}, but this process may open only {} files, {} of them for"
                            + " clients' connections. Raise the limit (ulimit -n, LimitNOFILE,"
                            + " --ulimit nofile) or lower max-connections.",
                    most,
                    descriptors.max(),
                    descriptors.forClients());
        }
    }

    /** The node, its addresses, its sockets, and its recovery, in one line. */
    public String description() {
        return "Node %s of %d is at %s for clients and at port %d for peers, on %s sockets; %s"
                .formatted(
                        options.self().name(),
                        core.topology().current().size(),
                        (tls == null ? "http://" : "https://")
                                + options.get(NodeOption.HOST)
                                + ":"
                                + clients.port(),
                        peers.port(),
                        HttpListener.socketImplementation(),
                        core.store().recoverySummary());
    }

    /**
     * Whether this node has everything that it may have acknowledged, so that its answers count.
     */
    public boolean votes() {
        return core.membership().votes();
    }

    /** Each peer, as this node sees it now. */
    public List<PeerHealth> peers() {
        return core.transport().health();
    }

    /**
     * Ends like a killed process, as far as that is possible within a running one: connections are
     * reset, no peer is notified, nothing in flight is awaited. The caller must have cut the node
     * off from its disk before, or closing would still write to it.
     */
    public synchronized void kill() {
        if (stopped) {
            return;
        }
        stopped = true;
        clients.reset();
        peers.reset();
        parts.close();
    }

    /**
     * Reports that the node is not ready, serves until its clients have moved to other nodes or the
     * drain timeout has passed, and closes everything. A second call has no effect.
     */
    public synchronized void stop() {
        if (stopped) {
            return;
        }
        stopped = true;
        drain.stop();
        events.info(options.self().name() + " is stopping, and takes no new requests");
        console.close();
        core.coordinator().waits().drain();
        try {
            clients.drain()
                    .get(options.get(NodeOption.DRAIN_TIMEOUT).toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (TimeoutException e) {
            LOG.warn("Clients still use this node after {}", options.get(NodeOption.DRAIN_TIMEOUT));
        }
        refusing = true;
        core.coordinator().drain();
        parts.close();
    }
}
