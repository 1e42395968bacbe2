package dev.quorate.node.offenders;

import java.security.SecureRandom;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Break rules on purpose. */
public final class BlocksAndGambles {

    private BlocksAndGambles() {}

    public static final class Sleeps {
        void rest() throws InterruptedException {
            Thread.sleep(1);
        }
    }

    public static final class SleepsByUnit {
        void rest() throws InterruptedException {
            TimeUnit.SECONDS.sleep(1);
        }
    }

    public static final class PerThread {
        int roll() {
            return ThreadLocalRandom.current().nextInt();
        }
    }

    public static final class Unseeded {
        Random dice() {
            return new Random();
        }
    }

    public static final class Secure {
        SecureRandom dice() {
            return new SecureRandom();
        }
    }

    public static final class Uuid {
        UUID draw() {
            return UUID.randomUUID();
        }
    }
}
