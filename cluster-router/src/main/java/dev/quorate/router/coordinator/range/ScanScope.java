package dev.quorate.router.coordinator.range;

/** Whose entries a range read covers. */
public enum ScanScope {
    /** The live entries of the whole cluster, each as a quorum of its replicas has it. */
    CLUSTER,
    /** The live entries of this node's store. */
    NODE
}
