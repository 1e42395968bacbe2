/**
 * Inquiries: what every member holds of one key, where it lies there, and what follows from that.
 * For people who want to know why an answer is what it is. Changes nothing.
 *
 * <p>Allowed imports: {@code replica}, {@code message}, {@code runtime}, {@code storage}, {@code
 * router}.
 */
@NullMarked
package dev.quorate.node.inquiry;

import org.jspecify.annotations.NullMarked;
