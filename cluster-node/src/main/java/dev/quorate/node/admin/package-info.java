/** What an operator uses: metrics, health, the ring page, and the command line. */
@NullMarked
package dev.quorate.node.admin;

import org.jspecify.annotations.NullMarked;
