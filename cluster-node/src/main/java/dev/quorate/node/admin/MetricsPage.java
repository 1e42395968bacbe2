package dev.quorate.node.admin;

import dev.quorate.node.http.HttpResponse;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** The metrics page, as text. */
final class MetricsPage {

    private final NodeCollector collector;
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();

    /**
     * Guarded by this. Created at the first scrape: the JVM's metrics load much of the management
     * library, which would add a tenth of a second to each start.
     */
    private boolean registered;

    private final PrometheusRegistry registry = new PrometheusRegistry();

    MetricsPage(NodeCollector collector) {
        this.collector = collector;
    }

    HttpResponse text() {
        synchronized (this) {
            if (!registered) {
                registry.register(collector);
                JvmMetrics.builder().register(registry);
                registered = true;
            }
        }
        ByteArrayOutputStream page = new ByteArrayOutputStream(16_384);
        try {
            writer.write(page, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new HttpResponse(
                200,
                List.of("Content-Type: " + writer.getContentType(), "Vary: Accept-Encoding"),
                page.toByteArray());
    }
}
