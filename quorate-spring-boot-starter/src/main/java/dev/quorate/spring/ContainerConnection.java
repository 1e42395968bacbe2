package dev.quorate.spring;

import dev.quorate.testcontainers.QuorateContainer;
import java.net.URI;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

/** {@code @ServiceConnection} at a {@link QuorateContainer}. */
final class ContainerConnection
        extends ContainerConnectionDetailsFactory<QuorateContainer, QuorateConnectionDetails> {

    ContainerConnection() {}

    @Override
    protected QuorateConnectionDetails getContainerConnectionDetails(
            ContainerConnectionSource<QuorateContainer> source) {
        return new Details(source);
    }

    private static final class Details extends ContainerConnectionDetails<QuorateContainer>
            implements QuorateConnectionDetails {

        Details(ContainerConnectionSource<QuorateContainer> source) {
            super(source);
        }

        @Override
        public List<URI> nodes() {
            return List.of(getContainer().url());
        }

        @Override
        public @Nullable String token() {
            return getContainer().token().orElse(null);
        }

        @Override
        public @Nullable SSLContext sslContext() {
            return getContainer().hasTls() ? getContainer().sslContext() : null;
        }
    }
}
