package dev.quorate.cli.client;

/**
 * How many batches may be on their way at once. It grows while nodes take everything, and is halved
 * when one turns an entry away because it has too much to do: a batch that is sent twice costs the
 * cluster more than one that waits. Decides only; guarded by its user's lock.
 */
final class ImportWindow {

    private static final int FIRST = 2;

    private final int most;
    private int size;

    /** Batches that were taken completely since the last change. */
    private int taken;

    ImportWindow(int most) {
        this.most = most;
        this.size = Math.min(FIRST, most);
    }

    int size() {
        return size;
    }

    /**
     * A batch has ended.
     *
     * @param wasTurnedAway whether an entry of it had to be sent again
     */
    void ended(boolean wasTurnedAway) {
        if (wasTurnedAway) {
            size = Math.max(1, size / 2);
            taken = 0;
        } else if (++taken >= size) {
            size = Math.min(most, size + 1);
            taken = 0;
        }
    }
}
