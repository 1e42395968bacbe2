/**
 * Inquiries: what every member has of one key, where it is stored, and what that means. For people
 * who want to know the reason of an answer. Changes nothing.
 */
@NullMarked
package dev.quorate.node.inquiry;

import org.jspecify.annotations.NullMarked;
