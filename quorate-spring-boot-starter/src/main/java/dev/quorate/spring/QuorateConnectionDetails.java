package dev.quorate.spring;

import java.net.URI;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Where the cluster is. Beans of this type, of which each may name some of the nodes, replace the
 * properties.
 */
public interface QuorateConnectionDetails extends ConnectionDetails {

    /** URLs of nodes. */
    List<URI> nodes();

    /** The access token; null for that of the properties. */
    default @Nullable String token() {
        return null;
    }

    /** Whom the client trusts; null for the SSL bundle of the properties. */
    default @Nullable SSLContext sslContext() {
        return null;
    }
}
