package dev.quorate.testkit.simulation.offenders;

import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.runtime.Ticker;
import java.time.Clock;
import java.time.Instant;
import java.util.function.Supplier;

/** Break a rule on purpose. */
public final class ReadsClocks {

    private ReadsClocks() {}

    public static final class NanoTime {
        long read() {
            return System.nanoTime();
        }
    }

    public static final class InstantNow {
        Supplier<Instant> later() {
            return Instant::now;
        }
    }

    public static final class SystemClock {
        Clock clock() {
            return Clock.systemUTC();
        }
    }

    public static final class NodesClock {
        Ticker clock() {
            return SystemTicker.INSTANCE;
        }
    }
}
