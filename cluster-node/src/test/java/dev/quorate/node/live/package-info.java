/**
 * Whole clusters as a user runs them: processes started by the launcher, and containers. Run in the
 * integration-test phase, when what they run has been packaged.
 */
package dev.quorate.node.live;
