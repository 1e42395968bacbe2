package dev.quorate.node.admin;

import dev.quorate.node.checkpoint.LastBackup;
import dev.quorate.node.peer.Pair;
import dev.quorate.node.tls.TlsContext;
import dev.quorate.router.coordinator.SimulatedCluster;
import dev.quorate.router.replica.ChangeNotices;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.storage.Figures;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.engine.LsmStore;
import dev.quorate.storage.engine.StoreClocks;
import dev.quorate.storage.engine.StoreExecutors;
import dev.quorate.storage.simulated.FaultyDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** The figures that a store, a coordinator and the peers' door register. */
public final class RegisteredFigures {

    private RegisteredFigures() {}

    public static List<Figures.Figure> all() {
        Figures figures = new Figures();
        try (LsmStore store =
                LsmStore.open(
                        new FaultyDisk(),
                        Path.of("store"),
                        StorageOptions.defaults()
                                .withMemtableBytes(64 << 10)
                                .withSegmentBytes(128 << 10)
                                .withReservedDiskBytes(0),
                        StoreExecutors.inPlace((millis, task) -> {}),
                        new StoreClocks(() -> 0),
                        cause -> {})) {
            figures.addAll(store.figures());
        }
        figures.addAll(SimulatedCluster.figuresOfACoordinator());
        figures.addAll(Pair.doorFigures());
        figures.addAll(TlsContext.figures(() -> null));
        ManualTime time = new ManualTime();
        try (var notices =
                new ChangeNotices(
                        1, ids -> {}, number -> null, time, time, new SplittableRandom(1))) {
            figures.addAll(notices.figures());
        }
        new LastBackup(new FaultyDisk(), Path.of("data"), time).register(figures);
        return figures.all().stream().map(RegisteredFigures::withoutValue).toList();
    }

    /** Without what is counted, which would stay in memory with it. */
    private static Figures.Figure withoutValue(Figures.Figure each) {
        return new Figures.Figure(
                each.name(), each.help(), each.isCounter(), () -> 0, each.labels());
    }
}
