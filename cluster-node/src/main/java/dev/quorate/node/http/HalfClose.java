package dev.quorate.node.http;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Field;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import one.nio.net.SelectableJavaSocket;
import one.nio.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * Ends the sending half of a connection and leaves the receiving half open.
 *
 * <p>A socket that is closed with unread bytes in it sends a reset, which makes the client throw
 * away the answer it was about to read. So an error is sent, then this, and what the client was
 * still sending is read and thrown away. one-nio's sockets cannot do it: for its native ones the C
 * library is called with the descriptor they hold.
 */
final class HalfClose {

    private static final int SHUT_WR = 1;

    /** Bytes of an address of the family "none", connecting to which disconnects. */
    private static final int ADDRESS_BYTES = 16;

    private final Field descriptor;
    private final MethodHandle shutdown;
    private final MethodHandle connect;

    private HalfClose(Field descriptor, MethodHandle shutdown, MethodHandle connect) {
        this.descriptor = descriptor;
        this.shutdown = shutdown;
        this.connect = connect;
    }

    /** Made at the first use: few nodes' clients ever need it. */
    private static final class Native {
        static final @Nullable HalfClose INSTANCE = create();

        private Native() {}

        private static @Nullable HalfClose create() {
            try {
                Field field = Class.forName("one.nio.net.NativeSocket").getDeclaredField("fd");
                field.setAccessible(true);
                Linker linker = Linker.nativeLinker();
                MethodHandle shutdown =
                        linker.downcallHandle(
                                linker.defaultLookup().findOrThrow("shutdown"),
                                FunctionDescriptor.of(
                                        ValueLayout.JAVA_INT,
                                        ValueLayout.JAVA_INT,
                                        ValueLayout.JAVA_INT));
                MethodHandle connect =
                        linker.downcallHandle(
                                linker.defaultLookup().findOrThrow("connect"),
                                FunctionDescriptor.of(
                                        ValueLayout.JAVA_INT,
                                        ValueLayout.JAVA_INT,
                                        ValueLayout.ADDRESS,
                                        ValueLayout.JAVA_INT));
                return new HalfClose(field, shutdown, connect);
            } catch (ReflectiveOperationException | RuntimeException e) {
                return null;
            }
        }
    }

    /**
     * Sends the end of the stream. Returns false where that is not possible; then only closing is
     * left, after a while.
     */
    static boolean shutdownOutput(Socket socket) {
        if (socket instanceof SelectableJavaSocket java
                && java.getSelectableChannel() instanceof SocketChannel channel) {
            try {
                channel.shutdownOutput();
                return true;
            } catch (IOException e) {
                return false;
            }
        }
        HalfClose instance = Native.INSTANCE;
        return instance != null && instance.apply(socket);
    }

    /**
     * Breaks the connection off, so that the client sees an error rather than an end: one-nio's
     * close sends an orderly end first, whatever SO_LINGER says.
     */
    static void reset(Socket socket) {
        if (socket instanceof SelectableJavaSocket java
                && java.getSelectableChannel() instanceof SocketChannel channel) {
            try {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException e) {
                // Closed already.
            }
            return;
        }
        HalfClose instance = Native.INSTANCE;
        if (instance != null) {
            instance.disconnect(socket);
        }
    }

    private boolean apply(Socket socket) {
        try {
            int fd = descriptor.getInt(socket);
            return fd >= 0 && (int) shutdown.invokeExact(fd, SHUT_WR) == 0;
        } catch (Throwable e) {
            return false;
        }
    }

    private void disconnect(Socket socket) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment none = arena.allocate(ADDRESS_BYTES);
            int ignored = (int) connect.invokeExact(descriptor.getInt(socket), none, ADDRESS_BYTES);
        } catch (Throwable e) {
            // The connection is closed in any case.
        }
    }
}
