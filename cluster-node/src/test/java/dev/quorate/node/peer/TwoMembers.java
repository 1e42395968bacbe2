package dev.quorate.node.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.tls.PeerTls;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.Member;
import dev.quorate.router.transport.HttpLinks;
import dev.quorate.router.transport.Identity;
import dev.quorate.router.transport.Peer;
import dev.quorate.router.transport.PeerTransport;
import dev.quorate.router.transport.TransportOptions;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A test with the way from n1 to the door of n2: over real sockets and the real HTTP client;
 * deadlines and probes on a clock that stands.
 */
abstract class TwoMembers {

    static final TransportOptions DEFAULTS = TransportOptions.forValuesOf(16 << 20);

    final ManualTime time = new ManualTime();

    /** The peer's, which stands: a peer that stalls does not notice that a deadline has passed. */
    final ManualTime doorTime = new ManualTime();

    final Identity asking = Pair.identity("n1", time);
    final Identity asked = Pair.identity("n2", time);
    final MemoryStore store = new MemoryStore();
    final LocalReplica replica =
            PlainReplica.of(
                    asked.self(),
                    store,
                    asked.clock(),
                    doorTime,
                    new Deadlines(doorTime, doorTime),
                    Runnable::run);
    final List<AutoCloseable> open = new ArrayList<>();
    RemoteDoor door;

    @BeforeEach
    void openDoor() throws IOException {
        door = openDoor(asked, 0);
    }

    RemoteDoor openDoor(Identity identity, int port) throws IOException {
        RemoteDoor opened =
                new RemoteDoor(identity, RemoteDoor.of(replica), doorTime, doorTime, port);
        open.addFirst(opened);
        return opened;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }

    Peer connect(TransportOptions options) {
        return connect(asking, options, door.port());
    }

    /** The way to n2, found and up. */
    Peer connect(Identity identity, TransportOptions options, int port) {
        PeerTransport transport = transport(identity, options, port, Runnable::run);
        transport.start();
        Peer peer = transport.peers().getFirst();
        assertThat(peer.member().name()).isEqualTo("n2");
        return peer;
    }

    PeerTransport transport(
            Identity identity, TransportOptions options, int port, Executor background) {
        return transport(identity, options, port, background, new ByteBudget(64 << 20));
    }

    private PeerTransport transport(
            Identity identity,
            TransportOptions options,
            int port,
            Executor background,
            ByteBudget largeValues) {
        PeerTransport transport =
                new PeerTransport(
                        identity,
                        identity.topology(),
                        new HttpLinks(
                                n2At(port),
                                Duration.ofSeconds(1),
                                background,
                                time,
                                "http",
                                PeerTls.ofPeers(null)),
                        options,
                        new NodeRuntime(time, time, new Random(1), Runnable::run),
                        largeValues);
        open.addFirst(transport);
        return transport;
    }

    /** The others are nowhere. */
    static Function<Member, List<InetSocketAddress>> n2At(int port) {
        return member ->
                List.of(
                        InetSocketAddress.createUnresolved(
                                "127.0.0.1", member.name().equals("n2") ? port : 1));
    }

    /** The way to n2, with so much memory for large replies. */
    Peer connectWithRoom(long bytes) {
        PeerTransport transport =
                transport(asking, DEFAULTS, door.port(), Runnable::run, new ByteBudget(bytes));
        transport.start();
        Peer peer = transport.peers().getFirst();
        Answers.until(() -> peer.health().standing() == PeerStanding.UP);
        return peer;
    }

    Peer connectAndWait(TransportOptions options) {
        Peer peer = connect(options);
        Answers.until(() -> peer.health().standing() == PeerStanding.UP);
        return peer;
    }

    static TransportOptions with(int batchOperations, int laneOperations, int laneBytes) {
        return new TransportOptions(
                batchOperations,
                DEFAULTS.maxBatchBytes(),
                laneOperations,
                laneBytes,
                DEFAULTS.maxBulkBytes(),
                DEFAULTS.maxReplyBytes(),
                Duration.ofHours(1),
                DEFAULTS.failuresToOpen());
    }

    long in(long millis) {
        return time.nanos() + millis * 1_000_000;
    }

    static ReplicaRequest read(String key) {
        return new ReplicaRequest.Read(key.getBytes(US_ASCII));
    }

    ReplicaRequest.Write write(String key, int valueBytes) {
        Timestamp stamp = Objects.requireNonNull(asking.clock().next());
        return new ReplicaRequest.Write(
                Entry.value(key.getBytes(US_ASCII), stamp, new byte[valueBytes], 3));
    }
}
