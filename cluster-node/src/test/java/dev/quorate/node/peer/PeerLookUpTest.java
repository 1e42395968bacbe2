package dev.quorate.node.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.tls.PeerTls;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.HttpLinks;
import dev.quorate.router.transport.Identity;
import dev.quorate.router.transport.Peer;
import dev.quorate.router.transport.PeerTransport;
import dev.quorate.router.transport.TransportOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a node that has just started knows of its peers' addresses. */
class PeerLookUpTest {

    private static final ReplicaRequest READ = new ReplicaRequest.Read("k".getBytes(US_ASCII));

    private final ManualTime time = new ManualTime();
    private final Identity asking = Pair.identity("n1", time);
    private final Identity asked = Pair.identity("n2", time);
    private final LocalReplica replica =
            PlainReplica.of(
                    asked.self(),
                    new MemoryStore(),
                    asked.clock(),
                    time,
                    new Deadlines(time, time),
                    Runnable::run);
    private RemoteDoor door;

    @BeforeEach
    void openDoor() throws IOException {
        door = new RemoteDoor(asked, RemoteDoor.of(replica), time, time, 0);
    }

    @AfterEach
    void closeDoor() throws Exception {
        door.close();
    }

    private HttpLinks links(Executor background) {
        return links(background, door.port());
    }

    private static HttpLinks links(Executor background, int... ports) {
        return new HttpLinks(
                member ->
                        Arrays.stream(ports)
                                .mapToObj(
                                        port ->
                                                InetSocketAddress.createUnresolved(
                                                        "127.0.0.1", port))
                                .toList(),
                Duration.ofSeconds(1),
                background,
                SystemTicker.INSTANCE,
                "http",
                PeerTls.ofPeers(null));
    }

    private PeerTransport transport(HttpLinks links) {
        return new PeerTransport(
                asking,
                asking.topology(),
                links,
                TransportOptions.forValuesOf(16 << 20),
                new NodeRuntime(time, time, new Random(1), Runnable::run),
                new ByteBudget(64 << 20));
    }

    /** A node's first client may come as soon as it serves. */
    @Test
    void peersAreFoundWhenTheLookUpsAreDone() {
        CountDownLatch submitted = new CountDownLatch(3); // two look-ups, and what waits for them
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            HttpLinks links = links(task -> later(thread, submitted, task));
            PeerTransport transport = transport(links);
            transport.start();
            links.awaitLookUps();
            Answers answers = new Answers();
            ask(transport, answers);
            assertThat(answers.await(1)).containsExactly(ReplicaAnswer.Absent.ABSENT);
            transport.close();
        }
    }

    private static void later(Executor thread, CountDownLatch submitted, Runnable task) {
        submitted.countDown();
        thread.execute(
                () -> {
                    Answers.until(() -> submitted.getCount() == 0);
                    task.run();
                });
    }

    private void ask(PeerTransport transport, Answers answers) {
        transport.peers().getFirst().ask(READ, time.nanos() + 1_000_000_000, answers);
    }

    @Test
    void peersAreTheMembersOfTheTopologyInUse() {
        try (PeerTransport transport = transport(links(Runnable::run))) {
            transport.start();
            Peer before = transport.peers().getFirst();
            Topology first = asking.topology();
            List<Member> more = new ArrayList<>(first.members());
            more.add(new Member("n9", URI.create("http://127.0.0.1:9")));
            transport.moveTo(new Topology(more));
            assertThat(transport.peers()).hasSize(first.size()).contains(before);
            more.remove(before.member());
            transport.moveTo(new Topology(more));
            assertThat(transport.peers())
                    .hasSize(first.size() - 1)
                    .doesNotContain(before)
                    .extracting(Peer::name)
                    .contains("n9");
        }
    }

    /** The option of this node names another address of the peer than the topology. */
    @Test
    void whereAnAddressFailsTheNextOneIsTried() throws IOException {
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        try (PeerTransport transport = transport(links(Runnable::run, closed, door.port()))) {
            transport.start();
            Answers.until(
                    () -> {
                        time.advanceMillis(10);
                        return transport.peers().getFirst().isUp();
                    });
            Answers answers = new Answers();
            ask(transport, answers);
            assertThat(answers.await(1)).containsExactly(ReplicaAnswer.Absent.ABSENT);
        }
    }

    /** The name service does not answer. */
    @Test
    void aLookUpThatHangsDelaysNoStart() {
        HttpLinks links = links(lookUp -> {});
        try (PeerTransport transport = transport(links)) {
            transport.start();
            links.awaitLookUps();
            Answers answers = new Answers();
            ask(transport, answers);
            assertThat(answers.failures()).containsExactly(Failure.UNREACHABLE);
        }
    }
}
