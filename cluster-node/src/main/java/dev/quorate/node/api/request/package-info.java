/**
 * What a request says, and which requests are refused before any work: parameters, roles, hosts.
 */
@NullMarked
package dev.quorate.node.api.request;

import org.jspecify.annotations.NullMarked;
