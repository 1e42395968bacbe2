/** Turns outcomes into answers: status, headers, conditions, byte ranges, explanations. */
@NullMarked
package dev.quorate.node.api.answer;

import org.jspecify.annotations.NullMarked;
