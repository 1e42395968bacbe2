/** Turns outcomes into answers: status, headers, conditions, byte ranges, explanations. */
package dev.quorate.node.api.answer;
