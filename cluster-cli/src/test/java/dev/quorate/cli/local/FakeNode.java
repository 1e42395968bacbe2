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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A process that takes a node's flags and says that it is ready; or dies, if told to. Whom it is
 * asked to add is a member when it is asked next.
 */
final class FakeNode {

    private final String name;
    private final Path data;
    private final boolean refuses;
    private final List<String> members = new ArrayList<>();
    private final List<String> joining = new ArrayList<>();
    private int epoch = 1;

    private FakeNode(String... arguments) {
        name = flag("--name=", arguments);
        data = Path.of(flag("--data=", arguments));
        refuses = !flag("--refuses=", arguments).isEmpty();
        for (String member : flag("--topology=", arguments).split(",", -1)) {
            members.add(member.split("=", 2)[0]);
        }
    }

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
            FakeNode node = new FakeNode(arguments);
            Files.createDirectories(node.data);
            while (!server.isClosed()) {
                node.answer(server);
            }
        }
    }

    private void answer(ServerSocket server) throws IOException {
        try (Socket socket = server.accept()) {
            BufferedReader reader =
                    new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.US_ASCII));
            String request = reader.readLine();
            if (request == null) {
                return;
            }
            int length = 0;
            for (String line = reader.readLine(); !"".equals(line); line = reader.readLine()) {
                if (line.toLowerCase(Locale.ROOT).startsWith("content-length: ")) {
                    length = Integer.parseInt(line.substring(16));
                }
            }
            char[] body = new char[length];
            for (int read = 0; read < length; ) {
                read += reader.read(body, read, length - read);
            }
            String answer = answer(request, new String(body));
            String head = answer.lines().findFirst().orElseThrow();
            String page = answer.substring(head.length()).strip();
            socket.getOutputStream()
                    .write(
                            "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                                    .formatted(head, page.length(), page)
                                    .getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** The status, a line feed, and the page. */
    private String answer(String request, String body) {
        return switch (request) {
            case "GET /readyz HTTP/1.1" ->
                    Files.exists(data.resolve("removed"))
                            ? "503 Service Unavailable\nfailed member: it was removed from the cluster"
                            : "200 OK";
            case "GET /livez HTTP/1.1" -> "200 OK";
            case "GET /admin/members HTTP/1.1" -> {
                if (!joining.isEmpty()) {
                    members.addAll(joining);
                    joining.clear();
                    epoch++;
                }
                yield page();
            }
            case "POST /admin/members HTTP/1.1" -> {
                if (refuses) {
                    yield "409 Conflict\n{\"detail\":\"Another change has won. Nothing was changed.\"}";
                }
                Matcher name = Pattern.compile("\"name\":\"(n[0-9])\"").matcher(body);
                name.results().forEach(each -> joining.add(each.group(1)));
                epoch++;
                yield page();
            }
            default -> "404 Not Found";
        };
    }

    private String page() {
        StringBuilder page = new StringBuilder("200 OK\ncluster 1, epoch " + epoch);
        page.append(joining.isEmpty() ? "\n" : ", a change is in progress\n");
        for (String each : members) {
            boolean isRemoved = Files.exists(data.resolve("../../" + each + "/data/removed"));
            if (!isRemoved) {
                page.append(each + " u 1 1 stays " + (each.equals(name) ? "self" : "up") + "\n");
            }
        }
        joining.forEach(each -> page.append(each + " u 2 - joins up\n"));
        joining.forEach(each -> page.append("The change waits for " + each + ".\n"));
        return page.toString();
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
