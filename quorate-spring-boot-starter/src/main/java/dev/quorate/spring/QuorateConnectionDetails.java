package dev.quorate.spring;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/** Where the cluster is. A bean of this type replaces the properties. */
public interface QuorateConnectionDetails extends ConnectionDetails {

    List<URI> nodes();

    /** The access token; null for none. */
    default @Nullable String token() {
        return null;
    }

    /** The trusted certificates; null for those that Java trusts. */
    default @Nullable SslBundle sslBundle() {
        return null;
    }
}
