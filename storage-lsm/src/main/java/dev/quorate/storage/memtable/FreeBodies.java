package dev.quorate.storage.memtable;

import java.util.BitSet;

/**
 * The bodies of replaced entries, for reuse by entries of about the same size. Used by the writer
 * alone.
 *
 * <p>Each size class has a list: each multiple of 8 bytes up to 1 KiB, then eight classes up to
 * each power of two. A class is named by its minimum room. The last body freed is the first reused,
 * since it is in the processor's cache. A body is never divided, and a body of more than about
 * twice the needed room is not reused.
 */
final class FreeBodies {

    /** Stands for no body: a node of the skip list has this reference. */
    static final int NONE = 0;

    private static final int UNIT_SHIFT = 3;
    private static final int EXACT_CLASSES = 128;
    private static final int EXACT_BITS = 7;
    private static final int STEP_BITS = 3;

    /** Added to twice the needed room: the maximum room of a reused body. */
    private static final int SMALL_BYTES = 64;

    /** Reads and links bodies, which have a layout of their own. */
    interface Bodies {

        /** The room of a body, in bytes. */
        int room(int body);

        int nextFree(int body);

        void setNextFree(int body, int next);
    }

    private final Bodies bodies;
    private final int[] first = new int[EXACT_CLASSES + ((Integer.SIZE - EXACT_BITS) << STEP_BITS)];
    private final BitSet filled = new BitSet();

    FreeBodies(Bodies bodies) {
        this.bodies = bodies;
    }

    /** Removes and returns a body with at least this room, or {@link #NONE}. */
    int take(int room) {
        // Bodies of this class may be too small, but values of one length fit each other's.
        int same = classOf(room);
        if (first[same] != NONE && bodies.room(first[same]) >= room) {
            return takeFirst(same);
        }
        int each = filled.nextSetBit(classOf(roomyFor(room)));
        return each >= 0 && each <= classOf(2 * room + SMALL_BYTES) ? takeFirst(each) : NONE;
    }

    private int takeFirst(int each) {
        int body = first[each];
        first[each] = bodies.nextFree(body);
        filled.set(each, first[each] != NONE);
        return body;
    }

    void add(int body) {
        int each = classOf(bodies.room(body));
        bodies.setNextFree(body, first[each]);
        first[each] = body;
        filled.set(each);
    }

    /**
     * The minimum room of the class whose bodies all have {@code room}. A body allocated with it
     * can be reused for similar entries.
     */
    static int roomyFor(int room) {
        int units = room >>> UNIT_SHIFT;
        if (units < EXACT_CLASSES) {
            return room;
        }
        int step = 1 << (bits(units) - STEP_BITS);
        return ((units + step - 1) & -step) << UNIT_SHIFT;
    }

    private static int bits(int units) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(units);
    }

    private static int classOf(int room) {
        int units = room >>> UNIT_SHIFT;
        if (units < EXACT_CLASSES) {
            return units;
        }
        int bits = bits(units);
        int step = (units >>> (bits - STEP_BITS)) & ((1 << STEP_BITS) - 1);
        return EXACT_CLASSES + ((bits - EXACT_BITS) << STEP_BITS) + step;
    }
}
