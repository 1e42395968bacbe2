/** Routes requests for the operators' pages to their handlers. */
@NullMarked
package dev.quorate.node.api.page;

import org.jspecify.annotations.NullMarked;
