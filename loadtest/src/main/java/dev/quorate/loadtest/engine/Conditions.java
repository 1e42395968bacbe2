package dev.quorate.loadtest.engine;

import dev.quorate.storage.Compression;
import java.util.List;

/**
 * What every engine is given in the same way.
 *
 * @param values the shape of values
 * @param compression how data blocks are stored
 * @param rocksCacheMebibytes RocksDB's block cache
 */
public record Conditions(ValueShape values, Compression compression, int rocksCacheMebibytes) {

    private static final int ARGUMENTS = 3;

    /** As arguments of a program. */
    List<String> toArguments() {
        return List.of(values.name(), compression.name(), Integer.toString(rocksCacheMebibytes));
    }

    /** Of the last of the arguments. */
    static Conditions ofLast(String[] arguments) {
        int first = arguments.length - ARGUMENTS;
        return new Conditions(
                ValueShape.valueOf(arguments[first]),
                Compression.valueOf(arguments[first + 1]),
                Integer.parseInt(arguments[first + 2]));
    }
}
