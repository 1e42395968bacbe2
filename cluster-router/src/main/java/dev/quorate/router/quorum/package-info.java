/** Quorums: the number of replicas that must agree, and the decision of an operation. */
package dev.quorate.router.quorum;
