package dev.quorate.cli.local;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;

/**
 * Writes text for a terminal. Replaces control characters, except for line feeds and tabs, and
 * characters that change the direction of text by question marks, because messages may contain any
 * text of a node.
 */
public final class PrintableWriter extends FilterWriter {

    public PrintableWriter(Writer out) {
        super(out);
    }

    /** The same for a text that is printed by another writer. */
    public static String printable(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.chars().forEach(each -> shown.append(printable((char) each)));
        return shown.toString();
    }

    private static char printable(char each) {
        boolean isObeyed =
                (Character.isISOControl(each) && each != '\n' && each != '\t')
                        || Character.getType(each) == Character.FORMAT;
        return isObeyed ? '?' : each;
    }

    @Override
    public void write(int character) throws IOException {
        out.write(printable((char) character));
    }

    @Override
    public void write(char[] characters, int from, int length) throws IOException {
        write(new String(characters, from, length), 0, length);
    }

    @Override
    public void write(String text, int from, int length) throws IOException {
        out.write(printable(text.substring(from, from + length)));
    }
}
