package dev.quorate.node;

import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.replica.ReadExecutor;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.topology.Member;
import dev.quorate.router.transport.PeerLink;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreClocks;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.io.DiskFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Whole nodes, stores on disk included, whose frames go from one to the other in this process. */
final class NodesWithoutSockets implements AutoCloseable {

    private static final Duration LONG_ENOUGH = Duration.ofMinutes(5);
    private static final int MAX_WRITES = 512;
    private static final HttpHeaders NO_HEADERS = name -> null;

    private final Path data;
    private final Map<String, String> moreOptions;
    private final String topology;
    private final NodeCore[] cores;
    private final ExecutorService network =
            Executors.newFixedThreadPool(3, Thread.ofPlatform().daemon().factory());
    private final ExecutorScheduler scheduler = new ExecutorScheduler("timer");

    /** Of all nodes together. */
    final EventLog events = new EventLog(SystemTicker.INSTANCE);

    private final ReadExecutor reads = new ReadExecutor(2, 1024);

    /** Each life of a node draws other numbers. */
    private final AtomicLong starts = new AtomicLong();

    private final AtomicLong frameBytes = new AtomicLong();

    /** Who answers at all; the others refuse connections. */
    private final Map<String, NodeCore> up = new HashMap<>();

    /** After so many more frames n2 is gone. */
    private final AtomicLong framesLeft = new AtomicLong(Long.MAX_VALUE);

    NodesWithoutSockets(Path data, int count, Map<String, String> moreOptions) throws IOException {
        this.data = data;
        this.moreOptions = moreOptions;
        this.topology =
                IntStream.rangeClosed(1, count)
                        .mapToObj(i -> "n" + i + "=http://127.0.0.1:" + (9000 + i))
                        .collect(Collectors.joining(","));
        this.cores = new NodeCore[count];
        for (int node = 1; node <= count; node++) {
            start(node);
        }
        for (NodeCore core : cores) {
            Awaitility.await()
                    .until(
                            () ->
                                    core.membership().stateFor(0).condition()
                                            == MemberState.Condition.WHOLE);
        }
    }

    void start(int node) throws IOException {
        Map<String, String> texts = new HashMap<>();
        texts.put("name", "n" + node);
        texts.put("topology", topology);
        texts.put("data", data.resolve("n" + node).toString());
        texts.put("secret", "nodes-without-sockets");
        texts.put("reserved-disk-bytes", "0");
        texts.put("memtable-bytes", "1MiB");
        texts.put("segment-bytes", "2MiB");
        texts.put("durability", "async");
        texts.put("repair-interval", "0");
        texts.put("repair-bytes-per-second", "0");
        texts.putAll(moreOptions);
        NodeOptions options = OptionsReader.read(texts);
        NodeCore core =
                new NodeCore(
                        options,
                        effects(),
                        new ByteBudget(32 << 20),
                        new Ring(options.topology()),
                        options::secret);
        cores[node - 1] = core;
        core.startClock(scheduler);
        synchronized (up) {
            up.put("n" + node, core);
        }
        core.seekPeers();
    }

    private NodeEffects effects() {
        return new NodeEffects(
                new DiskFiles(),
                new NodeRuntime(
                        SystemTicker.INSTANCE,
                        scheduler,
                        new Random(starts.incrementAndGet()),
                        reads,
                        events),
                (directory, storage, expiredMillis, listener) ->
                        LsmStore.open(
                                new DiskFiles(),
                                directory,
                                storage,
                                StoreExecutors.threads("store"),
                                new StoreClocks(
                                        SystemTicker.INSTANCE::nanos,
                                        SystemTicker.INSTANCE::wallMillis,
                                        expiredMillis),
                                listener),
                network,
                Link::new,
                why -> {});
    }

    /** Ends a node; the others find nobody at its address. */
    void stop(int node) {
        synchronized (up) {
            up.remove("n" + node);
        }
        cores[node - 1].close();
    }

    /** From now on the second node is gone after so many frames have come to it. */
    void loseSecondAfter(long frames) {
        framesLeft.set(frames);
    }

    void findSecond() {
        framesLeft.set(Long.MAX_VALUE);
    }

    NodeCore core(int node) {
        return cores[node - 1];
    }

    KeyValueStore store(int node) {
        return cores[node - 1].store();
    }

    /** Bytes of all frames that any node sent or answered since the last call. */
    long takeFrameBytes() {
        return frameBytes.getAndSet(0);
    }

    /** Stores entries on a node and nowhere else. */
    void write(int node, Iterable<Entry> entries) {
        Semaphore room = new Semaphore(MAX_WRITES);
        for (Entry entry : entries) {
            room.acquireUninterruptibly();
            store(node)
                    .write(
                            entry,
                            new WriteCompletion() {
                                @Override
                                public void stored(Timestamp newest) {
                                    room.release();
                                }

                                @Override
                                public void failed(StorageException cause) {
                                    throw cause;
                                }
                            });
        }
        room.acquireUninterruptibly(MAX_WRITES);
    }

    /** Has a node repair with all its peers, and says how it went. */
    Repairs.Status repair(int node) {
        long round = core(node).repairs().begin();
        Awaitility.await()
                .atMost(LONG_ENOUGH)
                .pollInterval(Duration.ofMillis(10))
                .until(
                        () -> {
                            Repairs.Status status = core(node).repairs().status();
                            return !status.running() && status.round() >= round;
                        });
        return core(node).repairs().status();
    }

    static PeerRepairStatus only(Repairs.Status status) {
        return status.peers().getFirst();
    }

    /** The first key at which two stores differ; null if they are the same. */
    @Nullable String difference(int one, int other) {
        try (EntryCursor a = store(one).scan(new byte[] {0}, null);
                EntryCursor b = store(other).scan(new byte[] {0}, null)) {
            while (true) {
                boolean more = a.next();
                if (more != b.next()) {
                    return "one is shorter";
                }
                if (!more) {
                    return null;
                }
                if (!a.entry().equals(b.entry())) {
                    return a.entry() + " and " + b.entry();
                }
            }
        }
    }

    private final class Link implements PeerLink {

        private final Member to;

        Link(Member to) {
            this.to = to;
        }

        @Override
        public Sent send(Message message, Receiver receiver) {
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            message.frame().forEach(whole::writeBytes);
            network.execute(() -> arrive(whole.toByteArray(), receiver));
            return () -> {};
        }

        private void arrive(byte[] frame, Receiver receiver) {
            NodeCore core;
            synchronized (up) {
                core = up.get(to.name());
            }
            if (core == null || (to.name().equals("n2") && framesLeft.decrementAndGet() < 0)) {
                receiver.failed(new ConnectException("refused"));
                return;
            }
            frameBytes.addAndGet(frame.length);
            core.peerDoor()
                    .handle(
                            new HttpRequest("POST", PeerCodec.PATH, null, NO_HEADERS, frame),
                            new HttpExchange() {
                                @Override
                                public void respond(HttpResponse response) {
                                    frameBytes.addAndGet(response.joinedBody().length);
                                    network.execute(
                                            () ->
                                                    receiver.received(
                                                            new Reply(
                                                                    response.status(),
                                                                    response.joinedBody())));
                                }

                                @Override
                                public void stream(HttpResponse head, StreamSource source) {
                                    throw new IllegalStateException("the door streams nothing");
                                }
                            });
        }

        @Override
        public void seek(Runnable found) {
            network.execute(found);
        }

        @Override
        public void close() {}
    }

    @Override
    public void close() {
        for (int node = 1; node <= cores.length; node++) {
            if (up.containsKey("n" + node)) {
                stop(node);
            }
        }
        scheduler.close();
        network.shutdownNow();
        reads.close();
    }
}
