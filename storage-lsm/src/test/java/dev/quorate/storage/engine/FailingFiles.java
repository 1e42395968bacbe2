package dev.quorate.storage.engine;

import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;

/** A disk of which one call fails, a read or a write. */
final class FailingFiles {

    private final StorageFiles disk;
    private final long failing;
    private final boolean outOfMemory;
    private long calls;

    /**
     * @param failing the number of the call that fails, from 1
     */
    FailingFiles(StorageFiles disk, long failing) {
        this(disk, failing, false);
    }

    /**
     * @param outOfMemory whether the call fails with an error instead of an exception
     */
    FailingFiles(StorageFiles disk, long failing, boolean outOfMemory) {
        this.disk = disk;
        this.failing = failing;
        this.outOfMemory = outOfMemory;
    }

    /** The number of calls that could have failed. */
    long calls() {
        return calls;
    }

    StorageFiles files() {
        return failing(StorageFiles.class, disk);
    }

    private <T> T failing(Class<T> face, T real) {
        Object proxy =
                Proxy.newProxyInstance(
                        face.getClassLoader(),
                        new Class<?>[] {face},
                        (self, method, arguments) -> {
                            boolean canFail =
                                    List.of(method.getExceptionTypes()).contains(IOException.class)
                                            && !method.getName().equals("close");
                            if (canFail && ++calls == failing) {
                                if (outOfMemory) {
                                    throw new OutOfMemoryError(method.getName());
                                }
                                throw new IOException(method.getName() + ": Input/output error");
                            }
                            try {
                                Object result = method.invoke(real, arguments);
                                return result instanceof WritableFile file
                                        ? failing(WritableFile.class, file)
                                        : result;
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
        return face.cast(proxy);
    }
}
