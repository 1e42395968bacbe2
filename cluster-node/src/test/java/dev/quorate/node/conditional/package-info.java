/** Tests of {@code node.conditional}, as transcripts. */
@NullMarked
package dev.quorate.node.conditional;

import org.jspecify.annotations.NullMarked;
