/**
 * Inquiries: what every member has of one key, where it is stored, and what that means. For people
 * who want to know the reason of an answer. Changes nothing.
 *
 * <p>Allowed imports: {@code replica}, {@code message}, {@code runtime}, {@code storage}, {@code
 * router}.
 */
@NullMarked
package dev.quorate.node.inquiry;

import org.jspecify.annotations.NullMarked;
