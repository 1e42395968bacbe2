/** The members of the cluster: a static, immutable list that is the same on every node. */
package dev.quorate.router.topology;
