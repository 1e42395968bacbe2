/**
 * Whole clusters as a user runs them: processes started by the launcher, and containers, in the
 * integration-test phase, when what they run is packaged; and real nodes in this process.
 */
package dev.quorate.testkit.live;
