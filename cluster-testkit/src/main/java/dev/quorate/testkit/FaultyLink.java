package dev.quorate.testkit;

import dev.quorate.router.transport.PeerLink;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A link from one node to another with faults. The real link delivers messages unchanged, on its
 * own threads. The sender of a lost message waits until its timeout, as over TCP.
 */
final class FaultyLink implements PeerLink {

    /** Receives the answer to a repeated message. */
    private static final Receiver IGNORED =
            new Receiver() {
                @Override
                public boolean reserve(long bytes) {
                    return false;
                }

                @Override
                public void received(Reply reply) {}

                @Override
                public void failed(Throwable why) {}
            };

    private final PeerLink real;
    private final Direction there;
    private final Direction back;
    private final Life life;
    private final Deliveries deliveries;
    private final Set<Exchange> underway = ConcurrentHashMap.newKeySet();

    FaultyLink(PeerLink real, Direction there, Direction back, Life life, Deliveries deliveries) {
        this.real = real;
        this.there = there;
        this.back = back;
        this.life = life;
        this.deliveries = deliveries;
    }

    @Override
    public Sent send(Message message, Receiver receiver) {
        Exchange exchange = new Exchange(message, receiver);
        underway.add(exchange);
        life.whenRunning(exchange::leave);
        return exchange::cancel;
    }

    @Override
    public void seek(Runnable found) {
        real.seek(() -> life.whenRunning(found));
    }

    @Override
    public void close() {
        real.close();
        for (Exchange exchange : underway) {
            exchange.fail(new IOException("the link is closed"));
        }
    }

    private final class Exchange implements Receiver {
        private final Message message;
        private final Receiver receiver;
        private final AtomicBoolean over = new AtomicBoolean();
        private volatile @Nullable Sent sent;

        Exchange(Message message, Receiver receiver) {
            this.message = message;
            this.receiver = receiver;
        }

        void leave() {
            Direction.Fate fate = there.next();
            if (fate.isLost()) {
                return;
            }
            deliveries.after(fate.delay(), this::depart);
            if (fate.isRepeated()) {
                deliveries.after(
                        fate.delay(),
                        () -> {
                            if (!there.isCut()) {
                                var _ = real.send(message, IGNORED);
                            }
                        });
            }
        }

        private void depart() {
            if (over.get() || there.isCut()) {
                return;
            }
            sent = real.send(message, this);
            if (over.get()) {
                cancelSent();
            }
        }

        @Override
        public boolean reserve(long bytes) {
            return receiver.reserve(bytes);
        }

        @Override
        public void received(Reply reply) {
            arrive(() -> end(() -> receiver.received(reply)));
        }

        /** Continues on this node's delivery thread: other nodes share the calling thread. */
        @Override
        public void failed(Throwable why) {
            deliveries.execute(() -> arrive(() -> fail(why)));
        }

        /** Delivers an answer or a failure, with the faults of the opposite direction. */
        private void arrive(Runnable arrival) {
            Direction.Fate fate = back.next();
            if (!fate.isLost()) {
                deliveries.after(
                        fate.delay(),
                        () -> {
                            if (!back.isCut()) {
                                life.whenRunning(arrival);
                            }
                        });
            }
        }

        void cancel() {
            cancelSent();
            fail(new CancellationException());
        }

        private void cancelSent() {
            Sent underWay = sent;
            if (underWay != null) {
                underWay.cancel();
            }
        }

        void fail(Throwable why) {
            end(() -> receiver.failed(why));
        }

        private void end(Runnable telling) {
            if (over.compareAndSet(false, true)) {
                underway.remove(this);
                telling.run();
            }
        }
    }

    /** The thread that delivers late messages to one machine. */
    static final class Deliveries implements Executor, AutoCloseable {

        private final ScheduledThreadPoolExecutor thread;

        Deliveries(String name) {
            thread =
                    new ScheduledThreadPoolExecutor(
                            1,
                            Thread.ofPlatform().name(name + "-deliveries").daemon().factory(),
                            new ThreadPoolExecutor.DiscardPolicy()); // drops messages after close
            thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        }

        /** Runs a task after a delay, or at once on the calling thread if there is none. */
        @SuppressWarnings("FutureReturnValueIgnored") // A delivery reports its failures itself.
        void after(Duration delay, Runnable task) {
            if (delay.isZero()) {
                task.run();
                return;
            }
            thread.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public void execute(Runnable task) {
            thread.execute(task);
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }
}
