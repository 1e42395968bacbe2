/** A decision that all members make once: single-decree Paxos. */
@NullMarked
package dev.quorate.router.decree;

import org.jspecify.annotations.NullMarked;
