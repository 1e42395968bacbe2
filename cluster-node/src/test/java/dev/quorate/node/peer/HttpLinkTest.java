package dev.quorate.node.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.node.tls.PeerTls;
import dev.quorate.router.message.FrameHeader;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.topology.Member;
import dev.quorate.router.transport.HttpLinks;
import dev.quorate.router.transport.Peer;
import dev.quorate.router.transport.PeerLink;
import dev.quorate.router.transport.PeerLink.Message;
import dev.quorate.router.transport.PeerLink.Receiver;
import dev.quorate.router.transport.PeerLink.Reply;
import dev.quorate.router.transport.PeerLink.Sent;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The connections for small exchanges: which one they use, and what their replies reserve. */
final class HttpLinkTest extends TwoMembers {

    private static final int VALUE_BYTES = 90_000;

    private static final class Result implements Receiver {
        private final CompletableFuture<Reply> reply = new CompletableFuture<>();

        @Override
        public boolean reserve(long bytes) {
            return true;
        }

        @Override
        public void received(Reply got) {
            reply.complete(got);
        }

        @Override
        public void failed(Throwable why) {
            reply.completeExceptionally(why);
        }

        int status() throws Exception {
            return reply.get(30, TimeUnit.SECONDS).status();
        }
    }

    private long exchanges = 1_000;

    private byte[] frame(List<ReplicaRequest> requests) {
        FrameHeader header =
                new FrameHeader(
                        FrameHeader.Kind.REQUESTS,
                        Lane.READ,
                        Pair.TOPOLOGY.fingerprint(),
                        asking.self().number(),
                        asked.self().number(),
                        asking.clock().reading(),
                        ++exchanges,
                        asked.life(),
                        1_000);
        return PeerCodec.encodeRequests(header, requests, Pair.SEAL);
    }

    private Sent send(PeerLink link, Receiver receiver) {
        return send(link, Lane.READ, receiver);
    }

    private Sent send(PeerLink link, Lane lane, Receiver receiver) {
        byte[] pass = frame(List.of());
        byte[] request = frame(List.of(read("k")));
        return link.send(new Message(lane, List.of(request), () -> pass, 1 << 20), receiver);
    }

    private HttpLinks links() {
        return new HttpLinks(
                n2At(door.port()),
                Duration.ofSeconds(1),
                Runnable::run,
                time,
                "http",
                PeerTls.ofPeers(null));
    }

    @Test
    void anEndedExchangeThatIsCancelledLeavesTheConnectionToTheNext() throws Exception {
        Member n2 = asked.self();
        try (HttpLinks links = links();
                PeerLink link = links.apply(n2)) {
            link.seek(() -> {});
            Result first = new Result();
            Sent ended = send(link, first);
            assertThat(first.status()).isEqualTo(200);
            ended.cancel();
            Result second = new Result();
            var _ = send(link, second);
            ended.cancel();
            assertThat(second.status()).isEqualTo(200);
            assertThat(door.accepted()).isEqualTo(1);
        }
    }

    /** More links than processors, so that several have one client. */
    @Test
    void aClosedLinkEndsItsOwnExchangesAlone() throws Exception {
        try (HttpLinks links = links()) {
            List<PeerLink> all = new ArrayList<>();
            List<Result> results = new ArrayList<>();
            door.shut();
            for (int i = 0; i < 3 * Runtime.getRuntime().availableProcessors() + 3; i++) {
                all.add(links.apply(asked.self()));
                all.getLast().seek(() -> {});
                results.add(new Result());
                var _ = send(all.getLast(), Lane.BULK, results.getLast());
            }
            Answers.until(() -> door.waiting() == all.size());
            all.removeFirst().close();
            assertThatThrownBy(results.removeFirst()::status)
                    .isNotInstanceOf(TimeoutException.class);
            door.open();
            for (Result each : results) {
                assertThat(each.status()).isEqualTo(200);
            }
            all.forEach(PeerLink::close);
        }
    }

    /** Parts of a reply that are small by themselves take memory too. */
    @Test
    void eachPartOfALargeReplyIsReserved() throws Exception {
        for (int i = 0; i < 5; i++) {
            Timestamp stamp = Objects.requireNonNull(asking.clock().next());
            byte[] key = ("k" + i).getBytes(US_ASCII);
            store.put(Entry.value(key, stamp, new byte[VALUE_BYTES], 3));
        }
        Peer peer = connectWithRoom(2 * VALUE_BYTES);
        Answers answers = new Answers();
        door.shut();
        peer.ask(read("k0"), in(30_000), answers);
        Answers.until(() -> door.waiting() == 1);
        for (int i = 1; i < 5; i++) {
            peer.ask(read("k" + i), in(30_000), answers);
        }
        door.open();
        assertThat(answers.await(5)).filteredOn(ReplicaAnswer.Found.class::isInstance).hasSize(1);
        assertThat(answers.failures()).hasSize(4).containsOnly(Failure.OVERLOADED);
    }
}
