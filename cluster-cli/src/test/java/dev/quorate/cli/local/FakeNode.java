package dev.quorate.cli.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A process that takes a node's flags and says that it is ready; or dies, if told to. */
final class FakeNode {

    private FakeNode() {}

    public static void main(String[] arguments) throws IOException {
        String name = flag("--name=", arguments);
        if (flag("--doomed=", arguments).equals(name)) {
            System.out.println(name + " found its disk on fire");
            System.exit(3);
        }
        int port = Integer.parseInt(flag("--port=", arguments));
        try (ServerSocket server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
            System.out.println(name + " listens with " + Runtime.getRuntime().maxMemory());
            System.out.println("founding '" + flag("--founding=", arguments) + "'");
            Files.createDirectories(Path.of(flag("--data=", arguments)));
            while (!server.isClosed()) {
                answer(server);
            }
        }
    }

    private static void answer(ServerSocket server) throws IOException {
        try (Socket socket = server.accept()) {
            BufferedReader reader =
                    new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.US_ASCII));
            String request = reader.readLine();
            boolean isProbe =
                    "GET /readyz HTTP/1.1".equals(request) || "GET /livez HTTP/1.1".equals(request);
            String status = isProbe ? "200 OK" : "404 Not Found";
            socket.getOutputStream()
                    .write(
                            ("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static String flag(String prefix, String[] arguments) {
        String value = "";
        for (String argument : arguments) {
            if (argument.startsWith(prefix)) {
                value = argument.substring(prefix.length());
            }
        }
        return value;
    }
}
