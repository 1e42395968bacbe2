package dev.quorate.testkit;

import java.util.Arrays;
import java.util.Locale;

/**
 * Not a test, since it looks at the time: prints what it takes until an embedded cluster is ready,
 * and until it is gone, round after round while the JVM gets warm. An argument is the number of
 * rounds.
 */
final class StartTimes {

    private StartTimes() {}

    public static void main(String[] arguments) {
        int rounds = arguments.length == 0 ? 30 : Integer.parseInt(arguments[0]);
        double[] warm = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            long begun = System.nanoTime();
            QuorateCluster cluster = QuorateCluster.start(3);
            long ready = System.nanoTime();
            int status = cluster.put("k", "v").status();
            long stored = System.nanoTime();
            cluster.close();
            long closed = System.nanoTime();
            warm[round] = millis(ready - begun);
            System.out.printf(
                    Locale.ROOT,
                    "round %2d: ready in %6.1f ms, first PUT (%d) in %5.1f ms, closed in %5.1f ms%n",
                    round + 1,
                    millis(ready - begun),
                    status,
                    millis(stored - ready),
                    millis(closed - stored));
        }
        double[] last = Arrays.copyOfRange(warm, rounds / 2, rounds);
        Arrays.sort(last);
        System.out.printf(
                Locale.ROOT,
                "second half: median %.1f ms, worst %.1f ms%n",
                last[last.length / 2],
                last[last.length - 1]);
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }
}
