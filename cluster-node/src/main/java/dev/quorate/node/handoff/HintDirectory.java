package dev.quorate.node.handoff;

import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;

/** The files of the store of hints while it is closed. */
record HintDirectory(StorageFiles files, Path path) {

    /** Marks the directory as being deleted. The store ignores foreign files. */
    private static final String EMPTIED = "EMPTIED";

    boolean holdsStore() throws IOException {
        return files.exists(path.resolve(FileNames.CURRENT));
    }

    /** Finishes a deletion that a crash interrupted. */
    void prepare() throws IOException {
        files.createDirectories(path);
        if (files.exists(path.resolve(EMPTIED))) {
            deleteMarked();
        }
    }

    /** Deletes the store, which may still have tombstones of sent hints, and log segments. */
    void empty() throws IOException {
        files.createDirectories(path);
        if (!files.exists(path.resolve(EMPTIED))) {
            files.create(path.resolve(EMPTIED)).close();
            files.syncDirectory(path);
        }
        deleteMarked();
    }

    /** Without the mark, a partly deleted store would look damaged. */
    private void deleteMarked() throws IOException {
        for (String name : files.list(path)) {
            if (!name.equals(EMPTIED)) {
                files.delete(path.resolve(name));
            }
        }
        files.syncDirectory(path);
        files.delete(path.resolve(EMPTIED));
        files.syncDirectory(path);
    }

    /**
     * Moves the files aside for inspection; files moved earlier are deleted.
     *
     * @return their new directory
     */
    Path setAside() throws IOException {
        Path aside = path.resolveSibling(path.getFileName() + ".damaged");
        files.createDirectories(aside);
        for (String name : files.list(aside)) {
            files.delete(aside.resolve(name));
        }
        for (String name : files.list(path)) {
            files.rename(path.resolve(name), aside.resolve(name));
        }
        files.syncDirectory(aside);
        files.syncDirectory(path);
        return aside;
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
