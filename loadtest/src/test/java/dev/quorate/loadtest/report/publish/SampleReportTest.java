package dev.quorate.loadtest.report.publish;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.report.BreakingPoint;
import dev.quorate.loadtest.report.BreakingPoint.Step;
import dev.quorate.loadtest.report.Circumstances;
import dev.quorate.loadtest.report.ProfiledRun;
import dev.quorate.loadtest.report.Published;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Run;
import dev.quorate.loadtest.report.ScenarioResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A report of made-up figures, as large as a real one, in {@code target/sample-report}: whoever
 * changes a drawing opens {@code report.html} there, wide and narrow, light and dark.
 */
class SampleReportTest {

    private static final Path FOLDER = Path.of("target", "sample-report");
    private static final long BEGIN = 1_795_372_800_000L;
    private static final int MAX_DRAWING = 15_000;
    private static final int MAX_FLAME_GRAPH = 85_000;

    /** Calls of a node that is under load: who called whom, from the root on. */
    private static final List<String> STACKS =
            List.of(
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;one/nio/server/SelectorThread.run;dev/quorate/node/http/HttpConnection.processRead;dev/quorate/node/http/RequestReader.read;dev/quorate/node/http/RequestParser.parse;dev/quorate/node/http/HeadParser.parse",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;one/nio/server/SelectorThread.run;dev/quorate/node/http/HttpConnection.processRead;dev/quorate/node/http/RequestReader.read;one/nio/net/NativeSocket.readRaw;Java_one_nio_net_NativeSocket_readRaw;__recv",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;one/nio/server/SelectorThread.run;dev/quorate/node/http/HttpConnection.processRead;dev/quorate/node/http/HttpExchange.handle;dev/quorate/node/coordinator/Coordinator.get;dev/quorate/node/coordinator/ReadOperation.start;dev/quorate/router/placement/ReplicaSelector.replicas;dev/quorate/router/ring/HashRing.ownerOf",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;one/nio/server/SelectorThread.run;dev/quorate/node/http/HttpConnection.processRead;dev/quorate/node/http/HttpExchange.handle;dev/quorate/node/coordinator/Coordinator.get;dev/quorate/node/coordinator/ReadOperation.start;dev/quorate/node/replica/LocalReplica.get;dev/quorate/storage/engine/ReadPath.get;dev/quorate/storage/memtable/SkipList.find",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;one/nio/server/SelectorThread.run;dev/quorate/node/http/HttpConnection.processRead;dev/quorate/node/http/HttpExchange.handle;dev/quorate/node/coordinator/Coordinator.get;dev/quorate/node/coordinator/ReadOperation.start;dev/quorate/node/replica/LocalReplica.get;dev/quorate/storage/engine/ReadPath.get;dev/quorate/storage/sstable/SSTable.get;dev/quorate/storage/sstable/BlockReader.find",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;one/nio/server/SelectorThread.run;dev/quorate/node/http/HttpConnection.processRead;dev/quorate/node/http/HttpExchange.handle;dev/quorate/node/coordinator/Coordinator.get;dev/quorate/node/coordinator/ReadOperation.start;dev/quorate/node/transport/PeerLane.send;jdk/internal/net/http/websocket/WebSocketImpl.sendBinary;jdk/internal/net/http/SocketTube.write;sun/nio/ch/SocketChannelImpl.write;sun/nio/ch/SocketDispatcher.writev0;writev",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;one/nio/server/SelectorThread.run;one/nio/net/NativeSelector.epollWait;Java_one_nio_net_NativeSelector_epollWait;epoll_wait",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;jdk/internal/net/http/HttpClientImpl$SelectorManager.run;jdk/internal/net/http/SocketTube$InternalReadPublisher.signal;jdk/internal/net/http/websocket/MessageDecoder.data;dev/quorate/node/transport/ReplyReader.onBinary;dev/quorate/node/message/AnswerCodec.decode",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;jdk/internal/net/http/HttpClientImpl$SelectorManager.run;jdk/internal/net/http/SocketTube$InternalReadPublisher.signal;jdk/internal/net/http/websocket/MessageDecoder.data;dev/quorate/node/transport/ReplyReader.onBinary;dev/quorate/node/coordinator/ReadOperation.answered;dev/quorate/router/quorum/QuorumTracker.count",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;jdk/internal/net/http/HttpClientImpl$SelectorManager.run;jdk/internal/net/http/SocketTube$InternalReadPublisher.signal;jdk/internal/net/http/websocket/MessageDecoder.data;dev/quorate/node/transport/ReplyReader.onBinary;dev/quorate/node/coordinator/ReadOperation.answered;dev/quorate/node/http/HttpExchange.answer;dev/quorate/node/http/ResponseEncoder.encode",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;jdk/internal/net/http/HttpClientImpl$SelectorManager.run;jdk/internal/net/http/SocketTube$InternalReadPublisher.signal;jdk/internal/net/http/websocket/MessageDecoder.data;dev/quorate/node/transport/ReplyReader.onBinary;dev/quorate/node/coordinator/ReadOperation.answered;dev/quorate/node/http/HttpExchange.answer;dev/quorate/node/http/Output.write;one/nio/net/NativeSocket.write;Java_one_nio_net_NativeSocket_write;__send",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;dev/quorate/storage/wal/GroupCommit.run;dev/quorate/storage/wal/WriteAheadLog.commit;dev/quorate/storage/wal/LogSegment.force;sun/nio/ch/FileChannelImpl.force;sun/nio/ch/UnixFileDispatcherImpl.force0;fdatasync",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;java/lang/Thread.run;dev/quorate/storage/engine/Flusher.run;dev/quorate/storage/sstable/TableWriter.add",
                    "start_thread;thread_native_entry;Thread::call_run;WorkerThread::run;G1EvacuateRegionsTask::work;G1ParScanThreadState::steal_and_trim_queue",
                    "start_thread;thread_native_entry;Thread::call_run;JavaThread::run;CompileBroker::compiler_thread_loop;C2Compiler::compile_method;Compile::Code_Gen;PhaseChaitin::Register_Allocate",
                    "start_thread;thread_native_entry;Thread::call_run;VMThread::run;SafepointSynchronize::begin");

    private final Random random = new Random(7);
    @TempDir private Path scratch;

    /** Latencies with a long tail, and a pause now and then in which everything waits. */
    private Run run(double perSecond, double p50Millis, double tail, int seconds, int pauseMillis) {
        Histogram all = new Histogram(3);
        List<Run.Second> overTime = new ArrayList<>();
        for (Histogram second : histograms(perSecond, p50Millis, tail, seconds, pauseMillis)) {
            all.add(second);
            Spectrum spectrum = Spectrum.of(second);
            overTime.add(
                    new Run.Second(
                            overTime.size(),
                            spectrum.count(),
                            spectrum.millis(0.5),
                            spectrum.millis(0.99),
                            spectrum.maxMillis()));
        }
        double achieved = (double) all.getTotalCount() / seconds;
        return new Run(achieved, Spectrum.of(all), overTime, Map.of(200, all.getTotalCount()), 0);
    }

    private List<Histogram> histograms(
            double perSecond, double p50Millis, double tail, int seconds, int pauseMillis) {
        List<Histogram> histograms = new ArrayList<>();
        for (int i = 0; i < seconds; i++) {
            Histogram second = new Histogram(3);
            second.setStartTimeStamp(BEGIN + 1_000L * i);
            second.setEndTimeStamp(BEGIN + 1_000L * (i + 1));
            boolean paused = random.nextInt(6) == 0;
            boolean still = i == 17 && pauseMillis > 50;
            int count = still ? 0 : (int) perSecond - random.nextInt(20);
            for (int answer = 0; answer < count; answer++) {
                double micros = 1_000 * p50Millis * StrictMath.exp(tail * random.nextGaussian());
                double late = 1_000.0 * pauseMillis - answer * 1e6 / perSecond;
                second.recordValue((long) (paused && late > 0 ? micros + late : micros));
            }
            histograms.add(second);
        }
        return histograms;
    }

    private List<Run> runs(double perSecond, double p50Millis, double tail, int pauseMillis) {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            double noise = 1 + random.nextInt(20) / 100.0;
            runs.add(run(perSecond, p50Millis * noise, tail, 30, pauseMillis));
        }
        return runs;
    }

    private static BreakingPoint breakingPoint(double perSecond) {
        List<Step> steps = new ArrayList<>();
        double asked = perSecond / 4;
        while (asked < perSecond * 1.5) {
            boolean holds = asked <= perSecond;
            double load = asked / perSecond;
            double p99 = holds ? 2 + 20 * load * load * load : 60 * Math.pow(load, 9);
            steps.add(new Step(asked, holds ? asked : asked * 0.97, p99, holds));
            asked *= 2;
        }
        steps.add(new Step(perSecond * 1.06, perSecond * 1.03, 31, false));
        steps.add(new Step(perSecond * 0.9, perSecond * 0.9, 14, true));
        steps.add(new Step(perSecond, perSecond * 0.999, 23, true));
        return new BreakingPoint(perSecond, 50, steps);
    }

    private ProfiledRun profile(String scenario, String node, ProfileKind kind) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (String stack : STACKS) {
            String type = kind == ProfileKind.CPU ? "" : ";byte[]_[i]";
            lines.append(stack)
                    .append(type)
                    .append(' ')
                    .append(5 + random.nextInt(400))
                    .append('\n');
            int half = stack.lastIndexOf(';');
            lines.append(stack, 0, half).append(type).append(' ').append(3 + random.nextInt(90));
            lines.append('\n');
        }
        Path collapsed = scratch.resolve(scenario + node + kind + ".collapsed");
        Path html = scratch.resolve(scenario + node + kind + ".html");
        Files.writeString(collapsed, lines);
        Files.writeString(html, "<!doctype html><title>The profiler's own</title>\n");
        return new ProfiledRun(scenario, node, kind, collapsed, html);
    }

    private static ScenarioResult scenario(
            String name,
            String title,
            String operation,
            double breakingPoint,
            List<Run> runs,
            List<Run> staticRuns) {
        return new ScenarioResult(
                name,
                title,
                operation,
                "2/3",
                3,
                2,
                64,
                100,
                breakingPoint(breakingPoint),
                breakingPoint * 0.7,
                runs,
                staticRuns,
                null,
                null);
    }

    private Report report() throws IOException {
        Map<String, String> circumstances = new LinkedHashMap<>();
        circumstances.put("Figures", "made up, to see what a report looks like");
        circumstances.put("Processors", "2, virtual");
        circumstances.put("Memory", "24 GiB");
        circumstances.put("System", "Linux 6.1, ext4");
        circumstances.put("Java", "25.0.1, heap of 128 MiB for each node");
        circumstances.put("Quorate", "0.1.0-SNAPSHOT");
        circumstances.put("Load generator", "own open loop, on the same processors");
        circumstances.put("Keys", "100,000 of 12 bytes, in no order");
        circumstances.put("Limit of p99", "50 ms");
        circumstances.put("Share of the breaking point", "70 %");
        List<Run> small = List.of(run(1_200, 0.3, 0.4, 20, 0), run(1_200, 0.31, 0.4, 20, 5));
        return new Report(
                "Quorate under load: made-up figures",
                Instant.ofEpochMilli(BEGIN),
                new Circumstances(circumstances),
                List.of(
                        scenario(
                                "get-2of3",
                                "GET 2/3, three nodes",
                                "GET of random keys",
                                9_100,
                                runs(6_370, 0.9, 0.5, 12),
                                runs(6_370, 0.4, 0.4, 4)),
                        scenario(
                                "put-2of3",
                                "PUT 2/3, three nodes",
                                "PUT of random keys",
                                5_200,
                                runs(3_640, 1.6, 0.6, 90),
                                runs(3_640, 0.4, 0.4, 4)),
                        new ScenarioResult(
                                "put-new-1of1",
                                "PUT of new keys, one connection",
                                "PUT of a new key each time",
                                "1/1",
                                1,
                                1,
                                1,
                                1,
                                null,
                                1_200,
                                small,
                                List.of(),
                                null,
                                new Published(
                                        "A report of another cluster",
                                        1_200,
                                        0.9,
                                        "4 processors, wrk2 with one thread and one connection"))),
                List.of(
                        profile("get-2of3", "n1", ProfileKind.CPU),
                        profile("put-2of3", "n1", ProfileKind.CPU),
                        profile("put-2of3", "n1", ProfileKind.ALLOC)),
                List.of("The scenario 'GET of a range' was interrupted after 1 of 3 runs."));
    }

    @Test
    void isAWholeReport() throws Exception {
        if (Files.exists(FOLDER)) {
            try (Stream<Path> files = Files.walk(FOLDER)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        ReportFolder folder = ReportFolder.create(FOLDER);
        folder.writeLog("get-2of3", 1, histograms(6_370, 0.9, 0.5, 30, 12));
        Report written = folder.write(report());
        assertThat(ReportFolder.read(FOLDER)).isEqualTo(written);
        for (Path drawing : drawings()) {
            boolean flame = drawing.startsWith(FOLDER.resolve("flames"));
            assertThat(Files.readString(drawing).getBytes(UTF_8).length)
                    .as(drawing.toString())
                    .isLessThan(flame ? MAX_FLAME_GRAPH : MAX_DRAWING);
        }
        assertThat(drawings()).hasSize(11);
    }

    private static List<Path> drawings() throws IOException {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".svg")).toList();
        }
    }
}
