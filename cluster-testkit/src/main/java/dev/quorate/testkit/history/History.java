package dev.quorate.testkit.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The operations of all clients with their answers.
 *
 * @param operations sorted by {@code began}, then {@code ended}, then client
 */
public record History(List<Operation> operations) {

    private record Write(String key, String value) {}

    /**
     * Sorts the operations.
     *
     * @throws IllegalArgumentException if two PUTs of a key have the same value: a read would not
     *     identify the write that it observed
     */
    public History {
        operations =
                operations.stream()
                        .sorted(
                                Comparator.comparingLong((Operation o) -> o.began().order())
                                        .thenComparingLong(o -> o.ended().order())
                                        .thenComparingInt(Operation::client))
                        .toList();
        Set<Write> writes = new HashSet<>();
        for (Operation operation : operations) {
            if (operation.action() instanceof Action.Put(String value, _)
                    && !writes.add(new Write(operation.key(), value))) {
                throw new IllegalArgumentException(
                        "Two PUTs of key %s have the value %s; every PUT needs one of its own."
                                .formatted(
                                        HistoryText.quoted(operation.key()),
                                        HistoryText.quoted(value)));
            }
        }
    }

    /** The SHA-256 of the text of {@link #writeTo}, in hexadecimal. */
    public String digest() {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            for (Operation operation : operations) {
                sha256.update((operation + "\n").getBytes(StandardCharsets.UTF_8));
            }
            return HexFormat.of().formatHex(sha256.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("Every JDK has SHA-256", e);
        }
    }

    /** Writes a line of text for each operation, ended by {@code \n}. */
    public void writeTo(Appendable out) throws IOException {
        for (Operation operation : operations) {
            out.append(operation.toString()).append('\n');
        }
    }

    @Override
    public String toString() {
        return operations.stream().map(each -> each + "\n").collect(Collectors.joining());
    }
}
