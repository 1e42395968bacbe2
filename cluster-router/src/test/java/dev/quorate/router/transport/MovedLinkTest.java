package dev.quorate.router.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.Lane;
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

    @Test
    void theAddressBeforeIsUsedUntilItFails() {
        PeerLink moved =
                new MovedLink(new Named("old"), new Named("new"), left -> calls.add("left"));
        send(moved);
        send(moved);
        moved.seek(() -> calls.add("found"));
        send(moved);
        moved.seek(() -> calls.add("not found"));
        moved.close();
        assertThat(calls)
                .containsExactly(
                        "seek new",
                        "send old",
                        "send old",
                        "left",
                        "found",
                        "send new",
                        "seek new",
                        "close old",
                        "close new");
    }
}
