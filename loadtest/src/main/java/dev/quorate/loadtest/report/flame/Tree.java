package dev.quorate.loadtest.report.flame;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Stacks with the frames that they have in common, from the root on, put together. */
final class Tree {

    /**
     * A frame of a flame graph.
     *
     * @param depth 0 is the root of all stacks
     * @param start how much lies left of it
     * @param count how much it has
     */
    record Box(String frame, int depth, long start, long count) {}

    private static final class Node {
        private final Map<String, Node> callees = new TreeMap<>();
        private long count;
    }

    private final Node root = new Node();

    Tree(Stacks stacks) {
        for (Stacks.Stack stack : stacks.stacks()) {
            Node node = root;
            node.count += stack.count();
            for (String frame : stack.frames()) {
                node = node.callees.computeIfAbsent(frame, ignored -> new Node());
                node.count += stack.count();
            }
        }
    }

    /**
     * The frames that are large enough and not too deep: the largest first, and none before its
     * caller.
     *
     * @param least how much a frame has to have
     */
    List<Box> boxes(long least, int maxDepth) {
        List<Box> boxes = new ArrayList<>();
        if (root.count > 0) {
            add(boxes, root, new Box("all", 0, 0, root.count), least, maxDepth);
        }
        boxes.sort(
                Comparator.comparingLong(Box::count)
                        .reversed()
                        .thenComparingInt(Box::depth)
                        .thenComparingLong(Box::start));
        return boxes;
    }

    private static void add(List<Box> boxes, Node node, Box box, long least, int maxDepth) {
        boxes.add(box);
        long start = box.start();
        for (Map.Entry<String, Node> callee : node.callees.entrySet()) {
            long count = callee.getValue().count;
            int depth = box.depth() + 1;
            if (count >= least && depth <= maxDepth) {
                Box next = new Box(callee.getKey(), depth, start, count);
                add(boxes, callee.getValue(), next, least, maxDepth);
            }
            start += count;
        }
    }
}
