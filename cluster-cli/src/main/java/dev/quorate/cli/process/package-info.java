/**
 * Programs and temporary clusters as processes, for the load tests and the tests of whole clusters.
 */
package dev.quorate.cli.process;
