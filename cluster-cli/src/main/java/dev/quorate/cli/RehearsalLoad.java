package dev.quorate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Reads and writes at full speed, over as many connections as clients usually have, so that the
 * nodes compile what they run under load.
 */
final class RehearsalLoad {

    private static final int THREADS = 2;
    private static final int CONNECTIONS = 16;
    private static final int KEYS = 20_000;
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final String VALUE = "x".repeat(100);
    private static final byte[] END_OF_HEAD = "\r\n\r\n".getBytes(US_ASCII);
    private static final String LENGTH = "content-length: ";

    private final int port;
    private final String replicas;
    private final int rounds;

    private RehearsalLoad(int port, String replicas, int rounds) {
        this.port = port;
        this.replicas = replicas;
        this.rounds = rounds;
    }

    /**
     * Sends GET and PUT by turns.
     *
     * @param replicas {@code ack/from}
     * @param requests how many, about
     */
    static void run(int port, String replicas, int requests)
            throws IOException, InterruptedException {
        RehearsalLoad load = new RehearsalLoad(port, replicas, requests / CONNECTIONS);
        List<Future<?>> loads = new ArrayList<>();
        try (ExecutorService threads =
                Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().daemon().factory())) {
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                loads.add(
                        threads.submit(
                                () -> {
                                    load.send(thread);
                                    return thread;
                                }));
            }
            for (Future<?> each : loads) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("the load failed", e.getCause());
        }
    }

    /** One request on each connection, then one answer from each. */
    private void send(int thread) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            List<InputStream> answers = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(socket);
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(TIMEOUT_MILLIS);
                answers.add(new BufferedInputStream(socket.getInputStream()));
            }
            for (int number = thread; number < rounds; number += THREADS) {
                for (int i = 0; i < CONNECTIONS; i++) {
                    byte[] request = request(number * CONNECTIONS + i).getBytes(US_ASCII);
                    sockets.get(i).getOutputStream().write(request);
                }
                for (InputStream answer : answers) {
                    skip(answer);
                }
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private String request(int number) {
        // By a prime, so that a key is read after it was written, and they come in no order.
        int key = Math.floorMod((number >> 1) * 7_919, KEYS);
        String target = "/v0/entity?id=key-" + key + "&replicas=" + replicas;
        return number % 2 == 0
                ? "PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(target, VALUE.length(), VALUE)
                : "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(target);
    }

    private static void skip(InputStream answer) throws IOException {
        StringBuilder head = new StringBuilder();
        int matched = 0;
        while (matched < END_OF_HEAD.length) {
            int next = answer.read();
            if (next < 0) {
                throw new EOFException("no whole answer");
            }
            head.append((char) next);
            matched = next == END_OF_HEAD[matched] ? matched + 1 : next == END_OF_HEAD[0] ? 1 : 0;
        }
        int at = head.toString().toLowerCase(java.util.Locale.ROOT).indexOf(LENGTH);
        if (at >= 0) {
            int end = head.indexOf("\r", at);
            answer.skipNBytes(Long.parseLong(head.substring(at + LENGTH.length(), end).trim()));
        }
    }
}
