package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.testkit.check.Fault.Cut.Link;
import dev.quorate.testkit.check.Fault.Cut.Manner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Node a talks to node b through relays, and nobody else does. */
final class RelayNetworkTest {

    private static final int SHORT_MILLIS = 200;
    private static final int LONG_MILLIS = 10_000;

    private final List<AutoCloseable> open = new ArrayList<>();
    private ServerSocket b;
    private RelayNetwork network;

    @BeforeEach
    void connect() throws IOException {
        b = kept(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        network = kept(new RelayNetwork(List.of("a", "b"), name -> b.getLocalPort()));
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T kept(T closeable) {
        open.addFirst(closeable);
        return closeable;
    }

    /** Both ends of one connection from a to b. */
    private record Line(Socket a, Socket b) {

        void say(Socket from, int what) throws IOException {
            from.getOutputStream().write(what);
        }

        int hear(Socket at, int millis) throws IOException {
            at.setSoTimeout(millis);
            return at.getInputStream().read();
        }

        void silence(Socket at) {
            assertThatThrownBy(() -> hear(at, SHORT_MILLIS))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }

    private Socket dial() throws IOException {
        String address = network.addressesFor("a");
        assertThat(address).startsWith("b=127.0.0.1:");
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        Socket socket = kept(new Socket(InetAddress.getLoopbackAddress(), port));
        socket.setSoTimeout(LONG_MILLIS);
        return socket;
    }

    private Line line() throws IOException {
        Socket a = dial();
        b.setSoTimeout(LONG_MILLIS);
        return new Line(a, kept(b.accept()));
    }

    private static Fault.Cut cut(Manner manner, String... links) {
        return new Fault.Cut(
                Set.of(links).stream()
                        .map(link -> new Link(link.substring(0, 1), link.substring(1)))
                        .collect(Collectors.toSet()),
                manner);
    }

    @Test
    void bytesAndTheEndArePassedInBothDirections() throws IOException {
        Line line = line();
        line.say(line.a, 1);
        assertThat(line.hear(line.b, LONG_MILLIS)).isEqualTo(1);
        line.say(line.b, 2);
        assertThat(line.hear(line.a, LONG_MILLIS)).isEqualTo(2);
        line.b.shutdownOutput();
        assertThat(line.hear(line.a, LONG_MILLIS)).isEqualTo(-1);
    }

    @Test
    void whatIsHeldBackArrivesLate() throws IOException {
        Line line = line();
        Fault.Cut cut = cut(Manner.LATE, "ab", "ba");
        network.cut(cut);
        line.say(line.a, 1);
        line.say(line.b, 2);
        line.silence(line.b);
        line.silence(line.a);
        network.heal(cut);
        assertThat(line.hear(line.b, LONG_MILLIS)).isEqualTo(1);
        assertThat(line.hear(line.a, LONG_MILLIS)).isEqualTo(2);
    }

    @Test
    void oneWayCanBeCutAlone() throws IOException {
        Line line = line();
        network.cut(cut(Manner.LATE, "ab"));
        line.say(line.a, 1);
        line.say(line.b, 2);
        assertThat(line.hear(line.a, LONG_MILLIS)).isEqualTo(2);
        line.silence(line.b);
    }

    /** Answers travel on the connection of who asked. */
    @Test
    void theWayBackCanBeCutAlone() throws IOException {
        Line line = line();
        network.cut(cut(Manner.LATE, "ba"));
        line.say(line.a, 1);
        line.say(line.b, 2);
        assertThat(line.hear(line.b, LONG_MILLIS)).isEqualTo(1);
        line.silence(line.a);
    }

    @Test
    void newConnectionsAreRefusedDuringACut() throws IOException {
        Fault.Cut cut = cut(Manner.LATE, "ab");
        network.cut(cut);
        Socket a = dial();
        a.getOutputStream().write(1);
        b.setSoTimeout(SHORT_MILLIS);
        assertThatThrownBy(b::accept).isInstanceOf(SocketTimeoutException.class);
        network.heal(cut);
        b.setSoTimeout(LONG_MILLIS);
        assertThat(kept(b.accept()).getInputStream().read()).isEqualTo(1);
    }

    @Test
    void whatIsSwallowedNeverArrivesAndItsConnectionIsGone() throws IOException {
        Line line = line();
        Fault.Cut cut = cut(Manner.LOST, "ab");
        network.cut(cut);
        line.say(line.a, 1);
        line.silence(line.b);
        network.heal(cut);
        assertThatThrownBy(() -> line.hear(line.a, LONG_MILLIS)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> line.hear(line.b, LONG_MILLIS)).isInstanceOf(IOException.class);
        Line anew = line();
        anew.say(anew.a, 3);
        assertThat(anew.hear(anew.b, LONG_MILLIS)).isEqualTo(3);
    }

    @Test
    void refusedMeansBrokenAndNotToBeMadeAnew() throws IOException {
        Line line = line();
        Fault.Cut cut = cut(Manner.REFUSED, "ab");
        network.cut(cut);
        assertThatThrownBy(() -> line.hear(line.a, LONG_MILLIS)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> dial().getInputStream().read())
                .isInstanceOf(SocketException.class);
        network.heal(cut);
        Line anew = line();
        anew.say(anew.a, 3);
        assertThat(anew.hear(anew.b, LONG_MILLIS)).isEqualTo(3);
    }

    /** Of two cuts of one link, healing one leaves the other. */
    @Test
    void cutsAddUp() throws IOException {
        Line line = line();
        Fault.Cut one = cut(Manner.LATE, "ab");
        Fault.Cut other = cut(Manner.LATE, "ab", "ba");
        network.cut(one);
        network.cut(other);
        network.heal(one);
        line.say(line.a, 1);
        line.silence(line.b);
        network.heal(other);
        assertThat(line.hear(line.b, LONG_MILLIS)).isEqualTo(1);
    }

    @Test
    void aRefusedConnectionBreaks() throws IOException {
        b.close();
        Socket a = dial();
        assertThatThrownBy(() -> a.getInputStream().read()).isInstanceOf(SocketException.class);
    }
}
