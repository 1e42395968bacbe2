package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.Lane;
import dev.quorate.router.transport.PeerLink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One exchange at a time, over a network that answers when told to. */
class FaultyLinkTest {

    /** The real link's place. */
    private static final class Network implements PeerLink {
        private final List<Receiver> sent = new CopyOnWriteArrayList<>();

        @Override
        public Sent send(Message message, Receiver receiver) {
            sent.add(receiver);
            return () -> {};
        }

        void answer() {
            sent.getFirst().received(new Reply(200, "answer".getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public void seek(Runnable found) {
            found.run();
        }

        @Override
        public void close() {}
    }

    /** What the sender hears. */
    private static final class Heard implements PeerLink.Receiver {
        private final List<String> news = new CopyOnWriteArrayList<>();

        @Override
        public boolean reserve(long bytes) {
            return true;
        }

        @Override
        public void received(PeerLink.Reply reply) {
            news.add("" + reply.status());
        }

        @Override
        public void failed(Throwable why) {
            news.add(why.getClass().getSimpleName());
        }
    }

    private final Network network = new Network();
    private final Heard heard = new Heard();
    private final Direction there = new Direction(1, 2, new SplittableRandom(1));
    private final Direction back = new Direction(2, 1, new SplittableRandom(2));
    private final FaultyLink.Deliveries deliveries = new FaultyLink.Deliveries("test");
    private final Life life = new Life(deliveries);
    private final FaultyLink link = new FaultyLink(network, there, back, life, deliveries);

    @AfterEach
    void end() {
        deliveries.close();
    }

    private PeerLink.Sent send() {
        return link.send(
                new PeerLink.Message(Lane.READ, List.of(new byte[1]), () -> new byte[0], 1_000),
                heard);
    }

    @Test
    void aHealthyNetworkDeliversEachMessageOnce() {
        send();
        network.answer();
        network.answer();
        assertThat(network.sent).hasSize(1);
        assertThat(heard.news).containsExactly("200");
    }

    @Test
    void aLostMessageIsSilentUntilTheSendersTimeout() {
        there.cut();
        PeerLink.Sent lost = send();
        assertThat(network.sent).isEmpty();
        assertThat(heard.news).isEmpty();
        lost.cancel();
        lost.cancel();
        assertThat(heard.news).containsExactly("CancellationException");
    }

    @Test
    void anAnswerIsLostOnItsOwnWay() {
        PeerLink.Sent sent = send();
        back.cut();
        network.answer();
        assertThat(heard.news).isEmpty();
        sent.cancel();
        assertThat(heard.news).containsExactly("CancellationException");
    }

    /** That a door is closed is news as well, which comes the same way. */
    @Test
    void aRefusalIsLostWithTheRest() {
        send();
        network.sent.getFirst().failed(new IOException("refused"));
        Awaitility.await().until(() -> heard.news.equals(List.of("IOException")));
        Heard second = new Heard();
        link.send(new PeerLink.Message(Lane.READ, List.of(), () -> new byte[0], 1), second);
        back.cut();
        network.sent.getLast().failed(new IOException("refused"));
        send();
        link.close();
        assertThat(second.news).containsExactly("IOException");
    }

    @Test
    void aRequestIsDuplicated() {
        there.setRepetition(1);
        send();
        assertThat(network.sent).hasSize(2);
        network.sent.getLast().received(new PeerLink.Reply(409, new byte[0]));
        assertThat(heard.news).isEmpty();
        network.answer();
        assertThat(heard.news).containsExactly("200");
    }

    @Test
    void aDelayIsAtLeastWhatWasAskedFor() {
        back.setDelay(Duration.ofMillis(80), Duration.ofMillis(80));
        send();
        long begun = System.nanoTime();
        network.answer();
        assertThat(heard.news).isEmpty();
        Awaitility.await().until(() -> heard.news.equals(List.of("200")));
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(80_000_000);
    }

    @Test
    void aPausedNodeNeitherSendsNorReceives() {
        send();
        life.pause();
        network.answer();
        Heard second = new Heard();
        link.send(new PeerLink.Message(Lane.READ, List.of(), () -> new byte[0], 1), second);
        assertThat(network.sent).hasSize(1);
        assertThat(heard.news).isEmpty();
        life.resume();
        Awaitility.await().until(() -> network.sent.size() == 2);
        Awaitility.await().until(() -> heard.news.equals(List.of("200")));
        life.end();
        network.sent.getLast().received(new PeerLink.Reply(200, new byte[0]));
        assertThat(second.news).isEmpty();
    }

    @Test
    void randomFaultsFollowTheSeed() {
        List<List<Direction.Fate>> fates = new ArrayList<>();
        for (long seed : new long[] {5, 5, 6}) {
            Direction direction = new Direction(1, 2, new SplittableRandom(seed));
            direction.setLoss(0.3);
            direction.setRepetition(0.1);
            direction.setDelay(Duration.ofMillis(1), Duration.ofMillis(9));
            fates.add(IntStream.range(0, 1_000).mapToObj(i -> direction.next()).toList());
        }
        assertThat(fates.get(0)).isEqualTo(fates.get(1)).isNotEqualTo(fates.get(2));
        assertThat(fates.get(0).stream().filter(Direction.Fate::isLost).count())
                .isBetween(230L, 370L);
        assertThat(fates.get(0).stream().filter(Direction.Fate::isRepeated).count())
                .isBetween(60L, 140L);
        assertThat(fates.get(0))
                .allSatisfy(
                        fate ->
                                assertThat(fate.delay())
                                        .isBetween(Duration.ofMillis(1), Duration.ofMillis(9)));
    }
}
