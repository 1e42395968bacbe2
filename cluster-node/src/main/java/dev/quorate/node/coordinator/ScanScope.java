package dev.quorate.node.coordinator;

/** Whose entries a range read covers. */
public enum ScanScope {
    /** The whole cluster's live entries, each as a quorum of its replicas knows it. */
    CLUSTER,
    /** The live entries that this node holds. */
    NODE
}
