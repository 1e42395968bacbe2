package dev.quorate.testkit.simulation.offenders;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** Break a rule on purpose. */
public final class StartsThreads {

    private StartsThreads() {}

    public static final class ByItself {
        void run(Runnable task) {
            Thread.ofPlatform().start(task);
        }
    }

    public static final class InPool {
        Executor pool() {
            return Executors.newSingleThreadExecutor();
        }
    }

    public static final class Parallel {
        long sum(List<Long> numbers) {
            return numbers.stream().parallel().mapToLong(Long::longValue).sum();
        }
    }

    public static final class Sleeps {
        void rest() throws InterruptedException {
            Thread.sleep(1);
        }
    }
}
