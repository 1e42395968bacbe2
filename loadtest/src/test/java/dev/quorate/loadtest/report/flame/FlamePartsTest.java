package dev.quorate.loadtest.report.flame;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Stacks as async-profiler names frames, from the root to the leaf. */
class FlamePartsTest {

    private static final String STACKS =
            """
            SOCKETS     | dev/quorate/node/http/SelectorTasks.run;one/nio/net/NativeSocket.write;Java_one_nio_net_NativeSocket_write;__send
            SOCKETS     | dev/quorate/node/coordinator/Coordinator.get;sun/nio/ch/SocketChannelImpl.write;sun/nio/ch/SocketDispatcher.write0;__libc_write
            SOCKETS     | jdk/internal/net/http/SocketTube.read;__libc_recv;do_syscall_64;__x64_sys_recvfrom;tcp_recvmsg;copy_user_generic
            SOCKETS     | one/nio/server/SelectorThread.run;one/nio/net/NativeSelector.epollWait;epoll_wait
            SOCKETS     | sun/nio/ch/EPoll.wait;epoll_wait
            HTTP_EDGE   | one/nio/server/SelectorThread.run;dev/quorate/node/http/RequestReader.read
            HTTP_EDGE   | one/nio/server/SelectorThread.run
            HTTP_EDGE   | dev/quorate/node/coordinator/WriteOperation.finish;dev/quorate/node/http/ResponseEncoder.encode;java/lang/String.getBytes
            RING        | dev/quorate/node/coordinator/Coordinator.get;dev/quorate/router/placement/ReplicaSelector.replicas;dev/quorate/router/ring/HashRing.ownerOf
            COORDINATOR | dev/quorate/node/http/HttpExchange.run;dev/quorate/node/coordinator/ReadOperation.start;java/util/HashMap.get
            COORDINATOR | dev/quorate/node/coordinator/ReadOperation.answer;dev/quorate/router/quorum/QuorumTracker.count
            COORDINATOR | dev/quorate/node/transport/PeerDoor.accept;dev/quorate/node/replica/LocalReplica.get
            COORDINATOR | thread_native_entry;JavaThread::run;dev/quorate/node/coordinator/Admission.enter;Unsafe_Park;pthread_cond_wait
            TRANSPORT   | java/lang/Thread.run;jdk/internal/net/http/common/SequentialScheduler.run;java/util/ArrayDeque.poll
            TRANSPORT   | dev/quorate/node/coordinator/ReadOperation.start;dev/quorate/node/message/RequestCodec.encode;java/nio/ByteBuffer.put
            TRANSPORT   | dev/quorate/node/transport/PeerLane.send;java/net/http/HttpRequest.newBuilder
            BACKGROUND  | dev/quorate/node/antientropy/Comparison.step
            BACKGROUND  | dev/quorate/node/handoff/Replay.next;java/util/List.of
            LOG         | java/lang/Thread.run;dev/quorate/storage/wal/GroupCommit.run;sun/nio/ch/FileChannelImpl.force;fdatasync
            LOG         | dev/quorate/storage/wal/LogSegment.append;sun/nio/ch/UnixFileDispatcherImpl.pwrite0;__libc_pwrite64
            LOG         | start_thread;__GI_fdatasync
            MEMTABLE    | dev/quorate/storage/engine/WritePath.apply;dev/quorate/storage/memtable/SkipList.put
            MEMTABLE    | dev/quorate/storage/engine/SegmentMemtable.put
            TABLES      | dev/quorate/storage/engine/Flusher.run;dev/quorate/storage/io/WritableFile.force;fdatasync
            TABLES      | dev/quorate/storage/engine/ReadPath.get;dev/quorate/storage/sstable/BlockReader.find;java/lang/foreign/MemorySegment.mismatch
            TABLES      | dev/quorate/storage/compaction/Compactor.run;net/jpountz/lz4/LZ4JNI.compress;LZ4_compress
            STORE       | dev/quorate/node/replica/LocalReplica.get;dev/quorate/storage/engine/ReadPath.get
            STORE       | java/lang/Thread.run;dev/quorate/storage/io/DiskFiles.sync;java/io/File.exists
            NODE        | java/lang/Thread.run;dev/quorate/node/clock/MomentFile.write;sun/nio/ch/FileChannelImpl.force;__GI_fdatasync
            NODE        | java/lang/Thread.run;dev/quorate/node/clock/ExecutorScheduler.lambda$guarded$0
            COORDINATOR | dev/quorate/node/coordinator/Admission.enter;dev/quorate/node/memory/ByteBudget.take
            COLLECTOR   | thread_native_entry;Thread::call_run;WorkerThread::run;OopStorage::Block::release
            COLLECTOR   | WorkerThread::run;G1EvacuateRegionsTask::evacuate_live_objects;void OopOopIterateDispatch<G1ScanEvacuatedObjClosure>::init
            COLLECTOR   | dev/quorate/node/http/RequestReader.read;OptoRuntime::new_array_C;G1CollectedHeap::attempt_allocation_slow;pthread_mutex_lock
            COMPILER    | thread_native_entry;JavaThread::run;CompileBroker::compiler_thread_loop;C2Compiler::compile_method;Compile::Code_Gen;Node::add_out;malloc
            COMPILER    | PhaseIdealLoop::build_loop_late
            JVM         | start_thread;thread_native_entry;VMThread::run;SafepointSynchronize::begin
            JVM         | start_thread;thread_native_entry;WatcherThread::sleep;pthread_cond_timedwait
            OTHER       | java/lang/Thread.run;java/util/concurrent/ThreadPoolExecutor.runWorker
            OTHER       | java/lang/Thread.run;java/io/RandomAccessFile.read;Java_java_io_RandomAccessFile_readBytes0;__GI_read
            OTHER       | I2C/C2I adapters(0xb)
            OTHER       | [unknown]
            OTHER       | com/example/Connect.connect
            """;

    @ParameterizedTest
    @CsvSource(textBlock = STACKS, delimiter = '|')
    void aStackIsInThePartOfTheFrameNearestToItsLeaf(Part part, String stack) {
        assertThat(FlameParts.of(frames(stack))).isEqualTo(part);
        assertThat(FlameParts.of(frames(stack.replace('/', '.')))).isEqualTo(part);
    }

    @ParameterizedTest
    @EnumSource(Part.class)
    void everyPartHasAStack(Part part) {
        assertThat(STACKS).contains(part.name());
        assertThat(part.label()).isNotBlank();
        assertThat(part.explanation()).isNotBlank();
    }

    @Test
    void addsUpWhatIsInTheSamePart() {
        Stacks stacks =
                new Stacks(
                        List.of(
                                new Stacks.Stack(frames("a;epoll_wait"), 3),
                                new Stacks.Stack(frames("a;b"), 4),
                                new Stacks.Stack(frames("b;epoll_wait"), 5)));
        assertThat(FlameParts.of(stacks, false))
                .isEqualTo(Map.of(Part.SOCKETS, 8L, Part.OTHER, 4L));
    }

    /** Of an allocation the leaf is the class of what was allocated, whoever did it. */
    @Test
    void theClassOfAnObjectIsNoFrame() {
        Stacks stacks =
                new Stacks(
                        List.of(
                                new Stacks.Stack(
                                        frames(
                                                "dev/quorate/node/http/HttpConnection.read;dev.quorate.node.message.ReplicaAnswer"),
                                        3),
                                new Stacks.Stack(frames("dev.quorate.node.message.X"), 4)));
        assertThat(FlameParts.of(stacks, true))
                .isEqualTo(Map.of(Part.HTTP_EDGE, 3L, Part.OTHER, 4L));
        assertThat(FlameParts.of(stacks, false)).isEqualTo(Map.of(Part.TRANSPORT, 7L));
    }

    private static List<String> frames(String stack) {
        return Arrays.asList(stack.split(";", -1));
    }
}
