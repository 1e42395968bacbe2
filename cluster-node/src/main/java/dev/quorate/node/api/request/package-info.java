/**
 * Reads parameters, headers and roles of a request, and refuses invalid requests before any work.
 */
@NullMarked
package dev.quorate.node.api.request;

import org.jspecify.annotations.NullMarked;
