/** A decision that all members make once: single-decree Paxos. */
package dev.quorate.router.decree;
