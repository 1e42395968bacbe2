/**
 * What a load report measures: which loads have a name, at which rate each runs, and the runs
 * themselves.
 */
@NullMarked
package dev.quorate.loadtest.scenario;

import org.jspecify.annotations.NullMarked;
