package dev.quorate.spring;

import dev.quorate.client.QuorateClient;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Makes a {@link QuorateClient} and what depends on it. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        },
        beforeName = {
            "org.springframework.boot.autoconfigure.cache.CacheAutoConfiguration",
            "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration"
        })
@EnableConfigurationProperties(QuorateProperties.class)
public class QuorateAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    QuorateConnectionDetails quorateConnectionDetails(QuorateProperties properties) {
        return properties::nodes;
    }

    /** Closed with the application context. */
    @Bean
    @ConditionalOnMissingBean
    QuorateClient quorateClient(
            QuorateProperties properties,
            List<QuorateConnectionDetails> details,
            ObjectProvider<SslBundles> bundles,
            ObjectProvider<QuorateClientCustomizer> customizers) {
        QuorateClient.Builder builder =
                QuorateClient.builder()
                        .nodes(details.stream().flatMap(each -> each.nodes().stream()).toList())
                        .deadline(properties.deadline())
                        .attemptTimeout(properties.attemptTimeout())
                        .connectTimeout(properties.connectTimeout());
        String token = details.get(0).token();
        token = token == null ? properties.token() : token;
        if (token != null) {
            builder.token(token);
        }
        SSLContext tls = details.get(0).sslContext();
        String bundle = properties.ssl().bundle();
        if (tls != null) {
            builder.tls(tls);
        } else if (bundle != null) {
            builder.tls(bundles.getObject().getBundle(bundle).createSslContext());
        }
        customizers.orderedStream().forEach(each -> each.customize(builder));
        return builder.build();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    static class Observations {

        @Bean
        @Order(0)
        QuorateClientCustomizer quorateObservations(ObservationRegistry registry) {
            return builder -> builder.listener(new ObservedOperations(registry));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(
            name = "management.health.quorate.enabled",
            havingValue = "true",
            matchIfMissing = true)
    static class Health {

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
        static class Boot3 {

            @Bean
            @ConditionalOnMissingBean(name = "quorateHealthIndicator")
            org.springframework.boot.actuate.health.HealthIndicator quorateHealthIndicator(
                    QuorateClient client) {
                return new ClusterHealth.Boot3(client);
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnMissingClass("org.springframework.boot.actuate.health.HealthIndicator")
        @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
        static class Boot4 {

            @Bean
            @ConditionalOnMissingBean(name = "quorateHealthIndicator")
            org.springframework.boot.health.contributor.HealthIndicator quorateHealthIndicator(
                    QuorateClient client) {
                return new ClusterHealth.Boot4(client);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(CacheManager.class)
    @ConditionalOnProperty("quorate.cache.enabled")
    static class Caching {

        @Bean
        @ConditionalOnMissingBean(CacheManager.class)
        QuorateCacheManager cacheManager(QuorateClient client, QuorateProperties properties) {
            return new QuorateCacheManager(client, properties.cache());
        }
    }
}
