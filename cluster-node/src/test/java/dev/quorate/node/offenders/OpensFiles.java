package dev.quorate.node.offenders;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;

/** Break a rule on purpose. */
public final class OpensFiles {

    private OpensFiles() {}

    public interface ByChannel {
        FileChannel channel();
    }

    public static final class Randomly {
        RandomAccessFile open(String name) throws IOException {
            return new RandomAccessFile(name, "r");
        }
    }
}
