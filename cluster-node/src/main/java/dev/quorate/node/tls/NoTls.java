package dev.quorate.node.tls;

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

/**
 * A placeholder for HTTP clients without TLS, because the JDK's client needs a context. A real one
 * loads all trusted certificates of the platform, which is 9 of 108 MB of an idle node, and delays
 * each command by a seventh.
 */
public final class NoTls extends SSLContext {

    public static final SSLContext INSTANCE = new NoTls();

    private NoTls() {
        super(new Spi("no node has TLS"), null, "none");
    }

    /** Refuses everything. */
    static class Spi extends SSLContextSpi {

        private final String why;

        /**
         * @param why the message of exceptions
         */
        Spi(String why) {
            this.why = why;
        }

        @Override
        protected SSLParameters engineGetDefaultSSLParameters() {
            return new SSLParameters();
        }

        @Override
        protected SSLParameters engineGetSupportedSSLParameters() {
            return new SSLParameters();
        }

        @Override
        protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {
            throw none();
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

        private IllegalStateException none() {
            return new IllegalStateException(why);
        }
    }
}
