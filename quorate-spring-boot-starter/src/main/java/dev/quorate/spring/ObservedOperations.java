package dev.quorate.spring;

import dev.quorate.client.Key;
import dev.quorate.client.OperationListener;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Observes each operation as {@code db.client.operation.duration}, with the attributes that
 * OpenTelemetry names for clients of databases. With tracing, an operation is a span, and nodes log
 * under its trace id.
 */
final class ObservedOperations implements OperationListener {

    private static final KeyValue NO_ERROR = KeyValue.of("error.type", "none");

    private final ObservationRegistry registry;

    ObservedOperations(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Observer begin(String name, @Nullable Key key) {
        Map<String, String> headers = new HashMap<>();
        SenderContext<Map<String, String>> context =
                new SenderContext<>(
                        (carrier, header, value) ->
                                Objects.requireNonNull(carrier).put(header, value),
                        Kind.CLIENT);
        context.setCarrier(headers);
        context.setRemoteServiceName("quorate");
        Observation observation =
                Observation.createNotStarted(
                                "db.client.operation.duration", () -> context, registry)
                        .contextualName(name + " quorate")
                        .lowCardinalityKeyValue("db.system.name", "quorate")
                        .lowCardinalityKeyValue("db.operation.name", name)
                        .start();
        if (key != null) {
            observation.highCardinalityKeyValue("db.quorate.key", key.toString());
        }
        return new Observer() {
            @Override
            public @Nullable String traceparent() {
                return headers.get("traceparent");
            }

            @Override
            public void attempted(Attempt attempt) {
                observation.highCardinalityKeyValue("server.address", attempt.node().getHost());
                observation.highCardinalityKeyValue(
                        "db.response.status_code", String.valueOf(attempt.status()));
                observation.event(
                        Observation.Event.of("attempt", attempt.node() + " " + attempt.status()));
            }

            @Override
            public void ended(@Nullable Throwable failure) {
                if (failure == null) {
                    observation.lowCardinalityKeyValue(NO_ERROR);
                } else {
                    observation.lowCardinalityKeyValue(
                            "error.type", failure.getClass().getSimpleName());
                    observation.error(failure);
                }
                observation.stop();
            }
        };
    }
}
