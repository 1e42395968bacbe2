/** Classes that break the rules of the house, each one rule, to show that the rules can fail. */
package dev.quorate.node.offenders;
