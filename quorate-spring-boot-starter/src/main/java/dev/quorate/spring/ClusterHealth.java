package dev.quorate.spring;

import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.ReadOptions;
import java.time.Duration;

/** The cluster is healthy if a read of one key, by a majority of its replicas, is answered. */
final class ClusterHealth {

    private static final Key KEY = Key.of("spring-boot-health");
    private static final ReadOptions READ = ReadOptions.DEFAULT.deadline(Duration.ofSeconds(2));

    private ClusterHealth() {}

    private static void check(QuorateClient client) {
        client.get(KEY, READ);
    }

    static final class Boot3
            extends org.springframework.boot.actuate.health.AbstractHealthIndicator {

        private final QuorateClient client;

        Boot3(QuorateClient client) {
            super("No node answers a read");
            this.client = client;
        }

        @Override
        protected void doHealthCheck(
                org.springframework.boot.actuate.health.Health.Builder builder) {
            check(client);
            builder.up();
        }
    }

    static final class Boot4
            extends org.springframework.boot.health.contributor.AbstractHealthIndicator {

        private final QuorateClient client;

        Boot4(QuorateClient client) {
            super("No node answers a read");
            this.client = client;
        }

        @Override
        protected void doHealthCheck(
                org.springframework.boot.health.contributor.Health.Builder builder) {
            check(client);
            builder.up();
        }
    }
}
