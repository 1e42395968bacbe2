package dev.quorate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.UnavailableException;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/** The beans of an application, against a server that stores keys. */
@Timeout(60)
final class QuorateAutoConfigurationTest {

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();
    private final Map<String, String> lastHeaders = new ConcurrentHashMap<>();
    private HttpServer server;
    private ApplicationContextRunner application;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/v0/entity",
                exchange -> {
                    String key = exchange.getRequestURI().getQuery().replaceAll("&.*", "");
                    exchange.getRequestHeaders()
                            .forEach((name, all) -> lastHeaders.put(name, all.get(0)));
                    exchange.getResponseHeaders()
                            .add("X-Quorate-Version", "01a1ffa680e10000-36c6c909");
                    byte[] body = exchange.getRequestBody().readAllBytes();
                    byte[] found = values.get(key);
                    boolean isAbsent = found == null;
                    switch (exchange.getRequestMethod()) {
                        case "PUT" -> {
                            values.put(key, body);
                            exchange.sendResponseHeaders(201, -1);
                        }
                        case "DELETE" -> {
                            values.remove(key);
                            exchange.sendResponseHeaders(202, -1);
                        }
                        default -> {
                            exchange.getResponseHeaders()
                                    .add(
                                            "Content-Type",
                                            isAbsent
                                                    ? "application/problem+json"
                                                    : "application/octet-stream");
                            byte[] answer =
                                    isAbsent ? "{}".getBytes(StandardCharsets.UTF_8) : found;
                            exchange.sendResponseHeaders(isAbsent ? 404 : 200, answer.length);
                            exchange.getResponseBody().write(answer);
                        }
                    }
                    exchange.close();
                });
        server.start();
        application =
                new ApplicationContextRunner()
                        .withConfiguration(
                                AutoConfigurations.of(
                                        SslAutoConfiguration.class, QuorateAutoConfiguration.class))
                        .withPropertyValues("quorate.nodes=" + url(), "quorate.deadline=1s");
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Test
    void theClientUsesTheProperties() {
        application
                .withPropertyValues("quorate.token=secret-of-the-test")
                .run(
                        context -> {
                            QuorateClient client = context.getBean(QuorateClient.class);
                            client.put("k", "v");
                            assertThat(client.get("k").orElseThrow().text()).isEqualTo("v");
                            assertThat(lastHeaders)
                                    .containsEntry("Authorization", "Bearer secret-of-the-test");
                        });
    }

    @Test
    void aClientOfTheApplicationReplacesIt() {
        try (QuorateClient own = QuorateClient.connect(url())) {
            application
                    .withBean("own", QuorateClient.class, () -> own)
                    .run(context -> assertThat(context.getBean(QuorateClient.class)).isSameAs(own));
        }
    }

    @Test
    void connectionDetailsReplaceTheProperties() {
        application
                .withPropertyValues("quorate.nodes=http://127.0.0.1:1")
                .withBean(QuorateConnectionDetails.class, () -> () -> List.of(URI.create(url())))
                .run(
                        context ->
                                assertThat(context.getBean(QuorateClient.class).get("k"))
                                        .isEmpty());
    }

    @Test
    void badPropertiesAreNamed() {
        application
                .withPropertyValues("quorate.nodes=localhost:8080")
                .run(
                        context ->
                                assertThat(context)
                                        .hasFailed()
                                        .getFailure()
                                        .hasStackTraceContaining("A node is http://host:port"));
        application
                .withPropertyValues("quorate.ssl.bundle=missing")
                .run(
                        context ->
                                assertThat(context)
                                        .hasFailed()
                                        .getFailure()
                                        .hasStackTraceContaining("missing"));
    }

    @Test
    void theClusterIsHealthyIfAReadIsAnswered() {
        application.run(
                context -> {
                    HealthIndicator health = context.getBean(HealthIndicator.class);
                    assertThat(health.health().getStatus()).isEqualTo(Status.UP);
                    server.stop(0);
                    assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
                });
        application
                .withPropertyValues("management.health.quorate.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    void operationsAreObserved() {
        TestObservationRegistry registry = TestObservationRegistry.create();
        application
                .withBean(ObservationRegistry.class, () -> registry)
                .run(
                        context -> {
                            QuorateClient client = context.getBean(QuorateClient.class);
                            client.get("k");
                            TestObservationRegistryAssert.assertThat(registry)
                                    .hasObservationWithNameEqualTo("db.client.operation.duration")
                                    .that()
                                    .hasLowCardinalityKeyValue("db.system.name", "quorate")
                                    .hasLowCardinalityKeyValue("db.operation.name", "get")
                                    .hasHighCardinalityKeyValue("server.address", "127.0.0.1")
                                    .hasBeenStarted();
                            server.stop(0);
                            Assertions.assertThatThrownBy(() -> client.get("other"))
                                    .isInstanceOf(UnavailableException.class);
                        });
    }

    @Test
    void valuesAreCachedInTheCluster() {
        application
                .withPropertyValues("quorate.cache.enabled=true", "quorate.cache.prefix=app/")
                .run(
                        context -> {
                            Cache cache = context.getBean(CacheManager.class).getCache("prices");
                            assertThat(cache.get(7)).isNull();
                            assertThat(cache.get(7, () -> new BigDecimal("1.5")))
                                    .isEqualTo(new BigDecimal("1.5"));
                            assertThat(cache.get(7, () -> new BigDecimal("2")))
                                    .isEqualTo(new BigDecimal("1.5"));
                            assertThat(values).containsKey("id=app/prices/7");
                            cache.put("none", null);
                            assertThat(cache.get("none").get()).isNull();
                            cache.evict(7);
                            assertThat(cache.get(7)).isNull();
                        });
    }

    @Test
    void otherClassesAreNotReadFromTheCache() {
        application
                .withPropertyValues("quorate.cache.enabled=true")
                .run(
                        context -> {
                            Cache cache = context.getBean(CacheManager.class).getCache("files");
                            cache.put("k", new java.io.File("a"));
                            Assertions.assertThatThrownBy(() -> cache.get("k"))
                                    .hasMessageContaining("quorate.cache.classes");
                            Assertions.assertThatThrownBy(() -> cache.put("k", new Object()))
                                    .hasMessageContaining("java.lang.Object cannot be cached");
                        });
    }

    /** Sets in sets take time that doubles with each level. */
    @Test
    void deepValuesAreNotReadFromTheCache() {
        application
                .withPropertyValues("quorate.cache.enabled=true")
                .run(
                        context -> {
                            Cache cache = context.getBean(CacheManager.class).getCache("sets");
                            Object shallow = List.of(List.of(1));
                            Object deep = 1;
                            for (int i = 0; i < 40; i++) {
                                deep = new ArrayList<>(List.of(deep));
                            }
                            cache.put("shallow", shallow);
                            cache.put("deep", deep);
                            assertThat(cache.get("shallow").get()).isEqualTo(shallow);
                            Assertions.assertThatThrownBy(() -> cache.get("deep"))
                                    .hasMessageContaining("cannot be read");
                        });
    }

    @Test
    void cachesAndKeysAreNotMistakenForOthers() {
        application
                .withPropertyValues("quorate.cache.enabled=true")
                .run(
                        context -> {
                            CacheManager caches = context.getBean(CacheManager.class);
                            caches.getCache("a/b").put("c", 1);
                            assertThat(caches.getCache("a").get("b/c")).isNull();
                            Assertions.assertThatThrownBy(
                                            () -> caches.getCache("a").put(new Object(), 1))
                                    .hasMessageContaining("needs a toString() of its own");
                        });
    }

    @Test
    void badSettingsOfTheCacheFailTheStart() {
        for (String bad : List.of("time-to-live=0s", "time-to-live=1500ms", "classes=maxdepth=x")) {
            application
                    .withPropertyValues("quorate.cache.enabled=true", "quorate.cache." + bad)
                    .run(context -> assertThat(context).as(bad).hasFailed());
        }
    }

    @Test
    void withoutTheCachePropertyThereIsNoCacheManager() {
        application.run(context -> assertThat(context).doesNotHaveBean(CacheManager.class));
    }
}
