package dev.quorate.loadtest.report.flame;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which part of the system a stack is in: that of the frame nearest to the leaf of which it is
 * known. So a socket that the coordinator writes to counts as sockets, and a map that it looks into
 * as coordinator.
 *
 * <p>Some frames say something only where no other frame does: who forces a file is the log, a
 * flush or a compaction; and what the JVM does, it mostly does for somebody.
 */
public final class FlameParts {

    /** Frames of which the part is known. */
    private record Rule(Part part, Pattern frames) {

        static Rule of(Part part, String frames) {
            return new Rule(part, Pattern.compile(frames));
        }

        boolean applies(String frame) {
            return frames.matcher(frame).lookingAt();
        }
    }

    /** The first rule that applies to a frame is the one that counts. */
    private static final List<Rule> RULES =
            List.of(
                    Rule.of(
                            Part.SOCKETS,
                            "(_*(libc_|GI_|sys_|x64_sys_|arm64_sys_)*"
                                    + "(send|sendto|sendmsg|recv|recvfrom|recvmsg|accept4?|connect"
                                    + "|shutdown|poll|ppoll|epoll_\\w+|do_epoll_\\w+|eventfd_\\w+)$)"
                                    + "|(tcp|sock|inet6?|unix|ip|ep|skb|net_rx|nf|loopback)_"
                                    + "|one\\.nio\\.net\\.(Native|Java|Selectable)"
                                    + "|Java_(one_nio_net_Native|sun_nio_ch_(Socket|EPoll|Net|EventFD))"
                                    + "|sun\\.nio\\.ch\\.(Socket|ServerSocket|NioSocket|EPoll|EventFD"
                                    + "|Net\\.|Selector)"),
                    Rule.of(
                            Part.COORDINATOR,
                            "dev\\.quorate\\.(router\\.quorum|node\\.(coordinator|replica))\\."),
                    Rule.of(Part.RING, "dev\\.quorate\\.router\\."),
                    Rule.of(Part.HTTP_EDGE, "dev\\.quorate\\.node\\.(http|api)\\.|one\\.nio\\."),
                    Rule.of(
                            Part.TRANSPORT,
                            "dev\\.quorate\\.node\\.(transport|message)\\."
                                    + "|(java|jdk\\.internal)\\.net\\.http\\."),
                    Rule.of(
                            Part.BACKGROUND,
                            "dev\\.quorate\\.node"
                                    + "\\.(antientropy|background|handoff|inquiry|membership)\\."),
                    Rule.of(Part.LOG, "dev\\.quorate\\.storage\\.wal\\."),
                    Rule.of(
                            Part.MEMTABLE,
                            "dev\\.quorate\\.storage\\.(memtable\\.|engine\\.SegmentMemtable)"),
                    Rule.of(
                            Part.TABLES,
                            "dev\\.quorate\\.storage\\.(sstable|compaction|cursor)\\."
                                    + "|dev\\.quorate\\.storage\\.engine"
                                    + "\\.(CompactionRunner|Flusher|Scrub)"),
                    Rule.of(Part.STORE, "dev\\.quorate\\.storage\\.(engine|manifest)\\."),
                    Rule.of(
                            Part.COMPILER,
                            "CompileBroker::|C2Compiler::|Compiler::|Compile::|Phase[A-Z]\\w*::"),
                    Rule.of(
                            Part.COLLECTOR,
                            "(\\w+ )?(G1|Z[A-Z]|Shenandoah|Parallel|PS[A-Z]|Serial|DefNew|GenC"
                                    + "|ConcurrentG|ConcurrentM|CollectedHeap|MemAllocator"
                                    + "|VM_G1|VM_GenC|VM_Collect|WorkerThread).*::"));

    /**
     * For stacks that no rule above applies to: what is Quorate's, but called by many of its parts.
     */
    private static final List<Rule> SHARED =
            List.of(
                    Rule.of(Part.STORE, "dev\\.quorate\\.storage\\."),
                    Rule.of(Part.NODE, "dev\\.quorate\\."));

    /** For those that are left: without a caller, or with the JDK's own alone. */
    private static final List<Rule> NATIVE =
            List.of(
                    Rule.of(Part.LOG, "_*(libc_|GI_|x64_sys_|arm64_sys_)*(fdatasync|fsync)$"),
                    Rule.of(Part.JVM, "[\\w<>,&* ]+::|thread_native_entry"));

    private FlameParts() {}

    /**
     * How much there is in each part.
     *
     * @param leafIsClass whether the leaf is not a frame but the class of what was allocated or
     *     waited for
     */
    public static Map<Part, Long> of(Stacks stacks, boolean leafIsClass) {
        Map<Part, Long> parts = new EnumMap<>(Part.class);
        for (Stacks.Stack stack : stacks.stacks()) {
            List<String> frames = stack.frames();
            int end = leafIsClass ? frames.size() - 1 : frames.size();
            parts.merge(of(frames.subList(0, end)), stack.count(), Long::sum);
        }
        return parts;
    }

    /** The part of one stack, whose leaf is the last frame. */
    static Part of(List<String> frames) {
        List<String> fromLeaf = new ArrayList<>(frames);
        Collections.reverse(fromLeaf);
        return Stream.of(RULES, SHARED, NATIVE)
                .flatMap(rules -> first(rules, fromLeaf).stream())
                .findFirst()
                .orElse(Part.OTHER);
    }

    private static Optional<Part> first(List<Rule> rules, List<String> frames) {
        return frames.stream()
                .map(frame -> frame.replace('/', '.'))
                .flatMap(
                        frame ->
                                rules.stream()
                                        .filter(rule -> rule.applies(frame))
                                        .map(Rule::part)
                                        .limit(1))
                .findFirst();
    }
}
