/** Loads: their requests, their pace and their results. */
package dev.quorate.loadtest.load;
