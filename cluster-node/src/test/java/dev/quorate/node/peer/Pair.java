package dev.quorate.node.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.FrameSeal;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.Identity;
import dev.quorate.storage.Figures;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Two nodes that know each other: n1, which asks, and n2, which is asked. */
public final class Pair {

    static final FrameSeal SEAL = new FrameSeal("a secret of the cluster".getBytes(US_ASCII));
    static final Topology TOPOLOGY =
            Topology.parse("n1=http://127.0.0.1:1,n2=http://127.0.0.1:2,n3=http://127.0.0.1:3");
    static final SlowRequests SLOW =
            new SlowRequests(Duration.ZERO, new LiveTopology(TOPOLOGY), SystemTicker.INSTANCE);
    static final Duration MAX_AHEAD = Duration.ofMillis(500);

    /** Each identity is that of a process of its own. */
    private static final AtomicLong LIVES = new AtomicLong(1_000);

    private Pair() {}

    /** What the door of n2 registers. */
    public static Figures doorFigures() {
        ManualTime time = new ManualTime();
        return new PeerDoor(
                        identity("n2", time),
                        (lane, request, deadline, callback) -> {},
                        new Deadlines(time, time),
                        time,
                        sender -> {},
                        SLOW)
                .figures();
    }

    static Identity identity(String name, Ticker ticker) {
        return identity(name, ticker, TOPOLOGY, SEAL);
    }

    static Identity identity(String name, Ticker ticker, Topology topology, FrameSeal seal) {
        Member self = topology.member(name);
        if (self == null) {
            throw new IllegalArgumentException(name);
        }
        return new Identity(
                new LiveTopology(topology),
                self,
                () -> seal,
                HybridClock.volatileClock(ticker, self.number(), MAX_AHEAD),
                LIVES.incrementAndGet());
    }
}
