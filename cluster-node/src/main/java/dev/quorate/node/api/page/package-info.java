/** The routes to the operators' pages, and the interface of those who answer them. */
@NullMarked
package dev.quorate.node.api.page;

import org.jspecify.annotations.NullMarked;
