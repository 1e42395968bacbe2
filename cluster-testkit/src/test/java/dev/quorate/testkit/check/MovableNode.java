package dev.quorate.testkit.check;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** A node in a process of its own, with an address now and another one after its move. */
final class MovableNode extends NodeProcess {

    private final URI later;
    private final Socket reserved;
    private boolean hasMoved;

    MovableNode(Path folder, String name, int port, int laterPort) throws IOException {
        super(folder, name, port);
        this.later = URI.create("http://127.0.0.1:" + laterPort);
        this.reserved = reserve(laterPort);
    }

    /** The address in this node's own option, at which it listens. */
    @Override
    URI url() {
        return hasMoved ? later : super.url();
    }

    URI later() {
        return later;
    }

    /** Changes the address in this node's own option, for the next start. */
    void move() throws IOException {
        reserved.close();
        hasMoved = true;
        String moved =
                Files.readString(options()).replaceAll(name() + "=[^,\n]*", name() + "=" + later);
        Files.writeString(options(), moved);
    }

    @Override
    public void close() throws IOException {
        super.close();
        reserved.close();
    }
}
