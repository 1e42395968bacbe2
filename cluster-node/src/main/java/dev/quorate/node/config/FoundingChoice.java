package dev.quorate.node.config;

/** What a member with an empty directory may do. */
public enum FoundingChoice {
    /** Founds a cluster only together with all other members. */
    TOGETHER,
    /** The operator says that the cluster is new: a majority of empty members may found it. */
    NEW
}
