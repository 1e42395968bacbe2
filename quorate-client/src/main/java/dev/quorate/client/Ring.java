package dev.quorate.client;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Maps keys to their owners: the first distinct members clockwise from the key. Immutable. */
final class Ring {

    /**
     * The parameters of a ring.
     *
     * @param replication the default number of replicas
     * @param virtualNodes the number of points of each member
     * @param members sorted
     */
    record Shape(int replication, int virtualNodes, List<String> members) {

        private static final int MAX_MEMBERS = 128;
        private static final int MAX_VIRTUAL_NODES = 65_536;

        /** The points of 128 members; takes 8 MiB. */
        private static final int MAX_POINTS = 1 << 19;

        /** Refuses parameters that are invalid or would take too much memory. */
        static Shape checked(long replication, long virtualNodes, List<String> members)
                throws Json.BadAnswerException {
            boolean isSound =
                    members.size() <= MAX_MEMBERS
                            && replication >= 1
                            && replication <= members.size()
                            && virtualNodes >= 1
                            && virtualNodes <= MAX_VIRTUAL_NODES
                            && members.size() * virtualNodes <= MAX_POINTS
                            && Set.copyOf(members).size() == members.size()
                            && members.stream().allMatch(m -> m.matches("[a-z0-9-]{1,63}"));
            if (!isSound) {
                throw new Json.BadAnswerException("a ring that cannot be");
            }
            List<String> sorted = members.stream().sorted().toList();
            return new Shape((int) replication, (int) virtualNodes, sorted);
        }
    }

    private record Point(long flipped, byte owner) {}

    private final Shape shape;

    /** Sorted, with the top bit flipped so that signed comparison orders them as unsigned. */
    private final long[] points;

    /** The index of the member that owns the point of the same index. */
    private final byte[] owners;

    Ring(Shape shape) {
        this.shape = shape;
        List<Point> all = new ArrayList<>(shape.members().size() * shape.virtualNodes());
        for (int member = 0; member < shape.members().size(); member++) {
            for (int i = 0; i < shape.virtualNodes(); i++) {
                String label = shape.members().get(member) + "#" + i;
                long token = Murmur3.hash(label.getBytes(StandardCharsets.US_ASCII));
                all.add(new Point(token ^ Long.MIN_VALUE, (byte) member));
            }
        }
        // The sort is stable: equal points are ordered by the names of their members.
        all.sort((a, b) -> Long.compare(a.flipped(), b.flipped()));
        this.points = all.stream().mapToLong(Point::flipped).toArray();
        this.owners = new byte[points.length];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = all.get(i).owner();
        }
    }

    Shape shape() {
        return shape;
    }

    /**
     * The names of the owners of a key, in order of preference.
     *
     * @param from the number of owners; 0 for the cluster's default
     */
    List<String> owners(byte[] key, int from) {
        int wanted = Math.min(from == 0 ? shape.replication() : from, shape.members().size());
        Set<String> found = new LinkedHashSet<>();
        for (int at = pointAt(Murmur3.hash(key)); found.size() < wanted; at++) {
            found.add(shape.members().get(owners[at % points.length]));
        }
        return List.copyOf(found);
    }

    private int pointAt(long token) {
        int found = Arrays.binarySearch(points, token ^ Long.MIN_VALUE);
        if (found < 0) {
            return -found - 1;
        }
        while (found > 0 && points[found - 1] == points[found]) {
            found--;
        }
        return found;
    }

    /**
     * Computes the token of a key: the first 64 bits of MurmurHash3 x64 128 with seed 0 (Austin
     * Appleby). Nodes use the implementation of Guava; this client has no dependencies.
     */
    static final class Murmur3 {

        private static final long C1 = 0x87c37b91114253d5L;
        private static final long C2 = 0x4cf5ad432745937fL;
        private static final int BLOCK_BYTES = 16;

        private Murmur3() {}

        static long hash(byte[] bytes) {
            long h1 = 0;
            long h2 = 0;
            ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            while (buffer.remaining() >= BLOCK_BYTES) {
                h1 ^= mixed(buffer.getLong(), C1, 31, C2);
                h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
                h2 ^= mixed(buffer.getLong(), C2, 33, C1);
                h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
            }
            // The last bytes, padded with zeros, which do not affect the hash.
            ByteBuffer rest = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            rest.put(buffer).rewind();
            h1 ^= mixed(rest.getLong(), C1, 31, C2);
            h2 ^= mixed(rest.getLong(), C2, 33, C1);
            h1 ^= bytes.length;
            h2 ^= bytes.length;
            h1 += h2;
            h2 += h1;
            return avalanched(h1) + avalanched(h2);
        }

        private static long mixed(long k, long before, int rotation, long after) {
            return Long.rotateLeft(k * before, rotation) * after;
        }

        private static long avalanched(long h) {
            long x = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
            x = (x ^ x >>> 33) * 0xc4ceb9fe1a85ec53L;
            return x ^ x >>> 33;
        }
    }
}
