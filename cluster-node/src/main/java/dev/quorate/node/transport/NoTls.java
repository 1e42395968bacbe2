package dev.quorate.node.transport;

import java.security.KeyManagementException;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * An SSL context for HTTP clients that never use TLS. Without it, the JDK's client loads all
 * trusted certificates of the platform when it is created: 9 of 108 MB of an idle node.
 */
final class NoTls extends SSLContext {

    NoTls() {
        super(new Spi(), null, "none");
    }

    private static final class Spi extends SSLContextSpi {

        /** Called by every client when it is created. */
        @Override
        protected SSLParameters engineGetDefaultSSLParameters() {
            return new SSLParameters(new String[0], new String[0]);
        }

        @Override
        protected SSLParameters engineGetSupportedSSLParameters() {
            return engineGetDefaultSSLParameters();
        }

        @Override
        protected void engineInit(
                KeyManager @Nullable [] keys,
                TrustManager @Nullable [] trusted,
                @Nullable SecureRandom random)
                throws KeyManagementException {
            throw new KeyManagementException("no TLS");
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            throw none();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            throw none();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            throw none();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            throw none();
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            throw none();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            throw none();
        }

        private static IllegalStateException none() {
            return new IllegalStateException("peers are not asked over TLS");
        }
    }
}
