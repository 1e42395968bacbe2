package dev.quorate.router;

import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/** Topologies for tests, with realistic names. */
public final class Topologies {

    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

    private Topologies() {}

    /** The placement by a ring, which does not change. */
    public static LivePlacement live(Ring ring) {
        return new LivePlacement(new LiveTopology(ring.topology()), ring);
    }

    public static Placement placement(Ring ring) {
        return live(ring).current();
    }

    /** n1, n2 and so on, on ports of this machine. */
    public static Topology numbered(int size) {
        List<Member> members = new ArrayList<>();
        for (int i = 1; i <= size; i++) {
            members.add(member("n" + i, i));
        }
        return new Topology(members);
    }

    public static Topology named(Set<String> names) {
        List<Member> members = new ArrayList<>();
        for (String name : names) {
            members.add(member(name, members.size()));
        }
        return new Topology(members);
    }

    /** A topology with a random scheme of names. */
    public static Topology random(RandomGenerator random, int size) {
        return named(randomNames(random, size));
    }

    public static Set<String> randomNames(RandomGenerator random, int size) {
        int scheme = random.nextInt(6);
        int first = random.nextInt(1_000);
        String word = word(random, 1 + random.nextInt(12));
        Set<String> names = new TreeSet<>();
        for (int i = 0; names.size() < size; i++) {
            names.add(
                    switch (scheme) {
                        case 0 -> "n" + (first + i);
                        case 1 -> word + "-" + i;
                        case 2 -> "%s-%04d".formatted(word, first + i);
                        case 3 -> "10-0-%d-%d".formatted(first % 256, i);
                        case 4 -> word + (char) ('a' + i);
                        default -> word(random, 1 + random.nextInt(63));
                    });
        }
        return names;
    }

    public static byte[] randomKey(RandomGenerator random) {
        byte[] key = new byte[1 + random.nextInt(40)];
        random.nextBytes(key);
        return key;
    }

    private static String word(RandomGenerator random, int length) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return word.toString();
    }

    private static Member member(String name, int index) {
        return new Member(name, URI.create("http://127.0.0.1:" + (8_080 + index)));
    }
}
