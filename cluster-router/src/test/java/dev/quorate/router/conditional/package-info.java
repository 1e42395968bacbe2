/** Tests of {@code node.conditional}, as transcripts. */
@NullMarked
package dev.quorate.router.conditional;

import org.jspecify.annotations.NullMarked;
