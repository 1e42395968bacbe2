/** How an outcome is answered: status, headers, conditions, ranges of bytes, explanations, gzip. */
@NullMarked
package dev.quorate.node.api.answer;

import org.jspecify.annotations.NullMarked;
