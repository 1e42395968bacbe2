package dev.quorate.router.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.Lane;
import dev.quorate.router.transport.PeerTransport.MovedLink;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MovedLinkTest {

    private final List<String> calls = new ArrayList<>();

    private final class Named implements PeerLink {

        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public Sent send(Message message, Receiver receiver) {
            calls.add("send " + name);
            return () -> {};
        }

        @Override
        public void seek(Runnable found) {
            calls.add("seek " + name);
        }

        @Override
        public void close() {
            calls.add("close " + name);
        }
    }

    private static void send(PeerLink link) {
        PeerLink.Receiver none =
                new PeerLink.Receiver() {
                    @Override
                    public boolean reserve(long bytes) {
                        return true;
                    }

                    @Override
                    public void received(PeerLink.Reply reply) {}

                    @Override
                    public void failed(Throwable why) {}
                };
        var _ = link.send(new PeerLink.Message(Lane.READ, List.of(), () -> new byte[0], 100), none);
    }

    private MovedLink moved(PeerLink before, String next) {
        return new MovedLink(before, new Named(next), left -> calls.add("left"));
    }

    @Test
    void theOldAddressIsUsedUntilItFails() {
        PeerLink moved = moved(new Named("old"), "new");
        send(moved);
        send(moved);
        moved.seek(() -> {});
        send(moved);
        moved.seek(() -> {});
        assertThat(calls)
                .containsExactly(
                        "send old", "send old", "left", "seek new", "send new", "seek new");
    }

    /** However often a member moves, at most two links of it are open. */
    @Test
    void anotherMoveClosesTheLinkThatIsNotUsed() {
        PeerLink first = new Named("old");
        MovedLink moved = moved(first, "new");
        assertThat(MovedLink.inUse(moved)).isSameAs(first);
        assertThat(calls).containsExactly("close new");
        MovedLink left = moved(first, "newer");
        left.seek(() -> {});
        calls.clear();
        send(MovedLink.inUse(left));
        assertThat(MovedLink.inUse(first)).isSameAs(first);
        assertThat(calls).containsExactly("send newer");
    }
}
