package dev.quorate.node.directory;

import dev.quorate.router.message.KnownLife;
import java.io.IOException;
import java.util.Collection;

/** Records durably what a member's later lives must know. */
public interface LifeRecorder {

    /** Records this member's generation durably. */
    void advance(long generation) throws IOException;

    /** Records the members' generations durably. */
    void record(Collection<KnownLife> known) throws IOException;

    /** Records durably that this member may lack acknowledged writes. */
    void loseStanding() throws IOException;
}
