/** Routes requests for the operators' pages to their handlers. */
package dev.quorate.node.api.page;
