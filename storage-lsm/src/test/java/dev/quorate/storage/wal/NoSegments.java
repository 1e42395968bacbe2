package dev.quorate.storage.wal;

import java.io.IOException;

/** A listener that expects no failure. */
final class NoSegments implements SegmentSupply.Listener {

    @Override
    public void segmentReady() {}

    @Override
    public void segmentFailed(IOException cause) {
        throw new AssertionError(cause);
    }
}
