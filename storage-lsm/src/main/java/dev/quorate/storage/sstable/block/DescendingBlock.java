package dev.quorate.storage.sstable.block;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Moves a {@link BlockReader} from the last entry of its block to the first. Entries share bytes
 * with the previous ones, so it decodes the entries from one restart to the next, and returns them
 * in reverse. It needs memory for the keys between two restarts.
 */
public final class DescendingBlock {

    private final BlockReader block;
    private byte[][] keys = new byte[16][];
    private int[] positions = new int[16];

    /** The current run, from a restart to the next; its entries up to {@link #left} remain. */
    private int run;

    private int left;

    /** The first key of the run that was read last; null before the first run. */
    private byte @Nullable [] firstOfLater;

    public DescendingBlock(BlockReader block) {
        this.block = block;
    }

    /**
     * Starts on the block that the reader has just loaded.
     *
     * @param end the next entry is the last one with a key before this; null for the last of all
     */
    public void seek(byte @Nullable [] end) {
        firstOfLater = null;
        run = end == null ? block.runs() - 1 : block.runBefore(end);
        readRun();
        while (end != null && left > 0 && Arrays.compareUnsigned(keys[left - 1], end) >= 0) {
            left--;
        }
    }

    /** Moves to the previous entry; false at the beginning of the block. */
    public boolean next() {
        if (left == 0) {
            if (run == 0) {
                return false;
            }
            run--;
            readRun();
        }
        left--;
        block.returnTo(positions[left], keys[left]);
        return true;
    }

    private void readRun() {
        int end = block.endOfRun(run);
        left = 0;
        block.rewindToRun(run);
        while (block.position() < end) {
            if (left == keys.length) {
                keys = Arrays.copyOf(keys, 2 * left);
                positions = Arrays.copyOf(positions, 2 * left);
            }
            positions[left] = block.position();
            block.next();
            keys[left] = block.key();
            left++;
        }
        if (block.position() != end || left == 0) {
            throw block.misplaced(end);
        }
        if (firstOfLater != null && Arrays.compareUnsigned(keys[left - 1], firstOfLater) >= 0) {
            throw block.unordered(end);
        }
        firstOfLater = keys[0];
    }
}
