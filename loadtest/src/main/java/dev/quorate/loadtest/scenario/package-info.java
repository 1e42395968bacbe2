/**
 * What a load report measures: which loads have a name, at which rate each runs, and the runs
 * themselves.
 */
package dev.quorate.loadtest.scenario;
