package dev.quorate.storage.wal;

import dev.quorate.storage.io.DiskFullException;
import java.io.IOException;

/** A listener that expects no failure. */
final class NoSegments implements SegmentSupply.Listener {

    @Override
    public void segmentReady() {}

    @Override
    public void segmentDelayed(DiskFullException cause) {
        throw new AssertionError(cause);
    }

    @Override
    public void segmentFailed(IOException cause) {
        throw new AssertionError(cause);
    }
}
