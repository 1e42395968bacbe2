package dev.quorate.node.http.connection;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
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
 * Calls that one-nio's sockets lack: shutdown of the output, reset, and a bound of the kernel's
 * unsent bytes. For native sockets it calls the C library with their descriptor.
 *
 * <p>A socket that is closed with unread input sends a reset, which makes the client discard the
 * answer that it was about to read. So an error is sent, then {@link #shutdownOutput}, and the
 * client's remaining input is discarded.
 */
final class SocketCalls {

    private static final int SHUT_WR = 1;

    /** The size of an address of the family "none"; connecting to it disconnects. */
    private static final int ADDRESS_BYTES = 16;

    /** Constants of Linux, the only system with one-nio's native sockets. */
    private static final int IPPROTO_TCP = 6;

    private static final int TCP_NOTSENT_LOWAT = 25;

    private final Field descriptor;
    private final MethodHandle shutdown;
    private final MethodHandle connect;
    private final MethodHandle setsockopt;

    private SocketCalls(Field descriptor) {
        this.descriptor = descriptor;
        this.shutdown = call("shutdown", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
        this.connect =
                call("connect", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
        this.setsockopt =
                call(
                        "setsockopt",
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_INT);
    }

    private static MethodHandle call(String name, MemoryLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
    }

    /** Created at the first use: many processes never need it. */
    private static final class Native {
        static final @Nullable SocketCalls INSTANCE = create();

        private static @Nullable SocketCalls create() {
            try {
                Field field = Class.forName("one.nio.net.NativeSocket").getDeclaredField("fd");
                field.setAccessible(true);
                return new SocketCalls(field);
            } catch (ReflectiveOperationException | RuntimeException e) {
                return null;
            }
        }
    }

    /** The channel of a Java socket; null for a native socket. */
    private static @Nullable SocketChannel channel(Socket socket) {
        return socket instanceof SelectableJavaSocket java
                        && java.getSelectableChannel() instanceof SocketChannel channel
                ? channel
                : null;
    }

    /**
     * Sends the end of the stream. False if that is not possible; then the connection can only be
     * closed later.
     */
    static boolean shutdownOutput(Socket socket) {
        SocketChannel channel = channel(socket);
        if (channel != null) {
            try {
                channel.shutdownOutput();
                return true;
            } catch (IOException e) {
                return false;
            }
        }
        SocketCalls instance = Native.INSTANCE;
        return instance != null && instance.endHalf(socket);
    }

    /**
     * Resets the connection, so that the client sees an error: one-nio's close sends an orderly end
     * first, whatever SO_LINGER is.
     */
    static void reset(Socket socket) {
        SocketChannel channel = channel(socket);
        if (channel != null) {
            try {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException e) {
                // Closed already.
            }
            return;
        }
        SocketCalls instance = Native.INSTANCE;
        if (instance != null) {
            instance.disconnect(socket);
        }
    }

    /** Whether the client has ended the connection and no input is left to read before the end. */
    static boolean hasEnded(Socket socket) {
        if (channel(socket) != null) {
            return false; // It cannot be known without reading.
        }
        try {
            int ignored = socket.read(new byte[1], 0, 1, Socket.MSG_PEEK);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * Bounds the unsent bytes in the kernel (TCP_NOTSENT_LOWAT), however large its buffer may
     * become. Bytes in flight, or in the receiver's buffer, do not count, so throughput is
     * unchanged. No effect if that is not possible.
     */
    static void boundUnsent(Socket socket, int bytes) {
        SocketCalls instance = channel(socket) == null ? Native.INSTANCE : null;
        if (instance != null) {
            instance.setOption(socket, TCP_NOTSENT_LOWAT, bytes);
        }
    }

    private boolean endHalf(Socket socket) {
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

    private void setOption(Socket socket, int option, int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_INT, number);
            int fd = descriptor.getInt(socket);
            int ignored =
                    (int) setsockopt.invokeExact(fd, IPPROTO_TCP, option, value, Integer.BYTES);
        } catch (Throwable e) {
            // The option remains unchanged.
        }
    }
}
