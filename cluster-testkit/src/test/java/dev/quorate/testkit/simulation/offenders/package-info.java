/** Classes that break the rules of the instruments, to show that the rules can fail. */
package dev.quorate.testkit.simulation.offenders;
