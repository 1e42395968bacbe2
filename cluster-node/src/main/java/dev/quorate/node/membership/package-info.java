/** Decides whether a member votes, and rebuilds one that began with an empty directory. */
package dev.quorate.node.membership;
