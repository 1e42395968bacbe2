package dev.quorate.router.transport;

import dev.quorate.router.message.Pass;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A peer over {@code java.net.http}. In the small lanes each frame is a message over a WebSocket;
 * in the others it is a POST, whose body is neither masked nor fragmented.
 *
 * <p>The client's executor runs tasks in place, on the client's selector thread: passing each step
 * to a pool costs more than everything else together. So tasks must not block.
 */
final class HttpLink implements PeerLink {

    private final PeerAddress address;
    private final HttpClient client;
    private final PeerSockets sockets;

    /**
     * @param address the address of the peer endpoint
     * @param context the SSL context of connections, used if the scheme is https
     */
    HttpLink(PeerAddress address, Duration connectTimeout, Ticker ticker, SSLContext context) {
        this.address = address;
        this.client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .executor(Runnable::run)
                        .connectTimeout(connectTimeout)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .proxy(HttpClient.Builder.NO_PROXY)
                        .sslContext(context)
                        .build();
        this.sockets = new PeerSockets(client, connectTimeout, ticker);
    }

    @Override
    public Sent send(Message message, Receiver receiver) {
        URI uri = address.uri();
        if (uri == null) {
            receiver.failed(new IOException(address.problem()));
            return () -> {};
        }
        if (!message.lane().takesLarge()) {
            return sockets.send(uri, message, receiver);
        }
        return post(uri, message, receiver);
    }

    /**
     * The client's future runs dependent stages in the common pool, whatever executor the client
     * has. So an answer is processed on the client's selector thread when its body is complete, and
     * the future serves only failures and cancellation.
     */
    private Sent post(URI uri, Message message, Receiver receiver) {
        FrameBody body = new FrameBody(message.frame());
        HttpRequest request =
                HttpRequest.newBuilder(uri)
                        .header(Pass.HEADER, Pass.text(message.pass().get()))
                        .POST(body.publisher())
                        .build();
        CompletableFuture<HttpResponse<@Nullable Void>> sent =
                client.sendAsync(
                        request,
                        ReplyBody.handler(
                                message.maxReplyBytes(),
                                receiver::reserve,
                                reply -> {
                                    body.forget();
                                    receiver.received(reply);
                                }));
        var _ =
                sent.whenComplete(
                        (response, failure) -> {
                            if (failure != null) {
                                body.forget();
                                receiver.failed(failure);
                            }
                        });
        return () -> sent.cancel(true);
    }

    @Override
    public void seek(Runnable found) {
        address.resolve(found);
    }

    @Override
    public void close() {
        sockets.close();
        client.shutdownNow();
    }
}
