/**
 * Inquiries: every member's entries of one key, where they are stored, and their meaning. For
 * operators who investigate an answer. Changes nothing.
 */
package dev.quorate.node.inquiry;
