package dev.quorate.node.admin;

import dev.quorate.node.http.HttpResponse;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusProtobufWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The metrics page: as text, or in the protobuf format, in which histograms are native ones too.
 */
final class MetricsPage {

    private final NodeCollector collector;
    private final ExpositionFormatWriter text = PrometheusTextFormatWriter.create();

    /**
     * Guarded by this. Created at the first scrape: the JVM's metrics load much of the management
     * library, which would add a tenth of a second to each start.
     */
    private boolean registered;

    private final PrometheusRegistry registry = new PrometheusRegistry();

    MetricsPage(NodeCollector collector) {
        this.collector = collector;
    }

    /** Whether a scraper prefers the protobuf format, which Prometheus then lists first. */
    static boolean wantsProtobuf(@Nullable String accept) {
        return accept != null
                && accept.startsWith("application/vnd.google.protobuf")
                && accept.contains("encoding=delimited");
    }

    HttpResponse text() {
        return written(text);
    }

    HttpResponse protobuf() {
        return written(Protobuf.WRITER);
    }

    /** Loaded when it is first needed: few scrapers want it. */
    private static final class Protobuf {
        private static final ExpositionFormatWriter WRITER = new PrometheusProtobufWriter();
    }

    private HttpResponse written(ExpositionFormatWriter writer) {
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
                List.of(
                        "Content-Type: " + writer.getContentType(),
                        "Vary: Accept, Accept-Encoding"),
                page.toByteArray());
    }
}
