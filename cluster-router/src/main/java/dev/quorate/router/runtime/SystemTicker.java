package dev.quorate.router.runtime;

/** The machine's own clocks. The only class of the node that reads them. */
public enum SystemTicker implements Ticker {
    INSTANCE;

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
