package dev.quorate.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.quorate.node.offenders.BlocksAndGambles;
import dev.quorate.node.offenders.OpensFiles;
import dev.quorate.node.offenders.OpensSockets;
import dev.quorate.node.offenders.ReadsClocks;
import dev.quorate.node.offenders.SpeaksHttp;
import dev.quorate.node.offenders.UsesOneNio;
import dev.quorate.node.offenders.WiresParts;
import dev.quorate.node.offenders.circle.Chicken;
import dev.quorate.node.offenders.line.Egg;
import dev.quorate.router.offenders.SeesStorage;
import dev.quorate.storage.offenders.SeesRouter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks which package depends on which, over the classes of all three modules. Each rule is also
 * shown a class that breaks it, because a rule that cannot fail says nothing.
 */
final class ArchitectureTest {

    /** Tens of megabytes, which the tests after this one need. */
    private static final AtomicReference<JavaClasses> MAIN = new AtomicReference<>();

    @BeforeAll
    static void readClasses() {
        MAIN.set(
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .withImportOption(location -> !location.contains("-tests.jar"))
                        .importPackages("dev.quorate"));
    }

    @AfterAll
    static void forgetClasses() {
        MAIN.set(null);
    }

    /** A rule, and classes that break it. */
    record Case(ArchitectureRules rule, List<Class<?>> offenders) {

        @Override
        public String toString() {
            return rule + " by " + offenders.stream().map(Class::getSimpleName).toList();
        }
    }

    private static Case broken(ArchitectureRules rule, Class<?>... offenders) {
        return new Case(rule, List.of(offenders));
    }

    private static Stream<Case> offences() {
        return Stream.of(
                broken(ArchitectureRules.STORAGE_SEES_NEITHER_ROUTER_NOR_NODE, SeesRouter.class),
                broken(
                        ArchitectureRules.ROUTER_SEES_OF_STORAGE_ITS_INTERFACE_AND_NO_NODE,
                        SeesStorage.class),
                broken(ArchitectureRules.NO_CYCLES, Chicken.class, Egg.class),
                broken(ArchitectureRules.NO_CYCLES_OF_CLASSES, Chicken.class, Egg.class),
                broken(ArchitectureRules.ONE_NIO_IS_HTTPS_ALONE, UsesOneNio.class),
                broken(ArchitectureRules.HTTP_CLIENT_IS_TRANSPORTS_ALONE, SpeaksHttp.class),
                broken(
                        ArchitectureRules.FILE_CHANNELS_ARE_STORAGES_ALONE,
                        OpensFiles.ByChannel.class),
                broken(
                        ArchitectureRules.FILE_CHANNELS_ARE_STORAGES_ALONE,
                        OpensFiles.Randomly.class),
                broken(ArchitectureRules.SOCKET_CHANNELS_ARE_HTTPS_ALONE, OpensSockets.class),
                broken(ArchitectureRules.CLOCKS_ARE_INJECTED, ReadsClocks.NanoTime.class),
                broken(ArchitectureRules.CLOCKS_ARE_INJECTED, ReadsClocks.InstantNow.class),
                broken(ArchitectureRules.CLOCKS_ARE_INJECTED, ReadsClocks.SystemClock.class),
                broken(ArchitectureRules.NOTHING_SLEEPS, BlocksAndGambles.Sleeps.class),
                broken(ArchitectureRules.NOTHING_SLEEPS, BlocksAndGambles.SleepsByUnit.class),
                broken(ArchitectureRules.RANDOMNESS_IS_INJECTED, BlocksAndGambles.PerThread.class),
                broken(ArchitectureRules.RANDOMNESS_IS_INJECTED, BlocksAndGambles.Unseeded.class),
                broken(ArchitectureRules.RANDOMNESS_IS_INJECTED, BlocksAndGambles.Secure.class),
                broken(ArchitectureRules.RANDOMNESS_IS_INJECTED, BlocksAndGambles.Uuid.class),
                broken(ArchitectureRules.ONLY_CLUSTER_NODE_WIRES, WiresParts.class),
                broken(ArchitectureRules.NOBODY_KNOWS_THE_COMPOSITION_ROOT, WiresParts.class),
                broken(ArchitectureRules.PACKAGES_KNOW_WHAT_THEY_MAY, WiresParts.class));
    }

    @ParameterizedTest
    @EnumSource
    void theRuleHolds(ArchitectureRules rule) {
        rule.rule().check(MAIN.get());
    }

    @ParameterizedTest
    @MethodSource("offences")
    void theRuleFindsItsOffenders(Case offence) {
        JavaClasses classes = new ClassFileImporter().importClasses(offence.offenders());
        assertThat(offence.rule().rule().allowEmptyShould(true).evaluate(classes).hasViolation())
                .as("a violation")
                .isTrue();
    }

    @Test
    void everyRuleIsShownToBeBroken() {
        assertThat(offences().map(Case::rule).distinct())
                .containsExactlyInAnyOrder(ArchitectureRules.values());
    }

    /** Otherwise every rule above would be kept by nobody. */
    @Test
    void theRulesCoverTheClassesOfAllThreeModules() {
        assertThat(MAIN.get().stream().map(JavaClass::getPackageName))
                .contains(
                        "dev.quorate.storage.engine",
                        "dev.quorate.router.ring",
                        "dev.quorate.router.coordinator");
        assertThat(MAIN.get().stream().map(JavaClass::getName))
                .doesNotContain(ArchitectureTest.class.getName());
    }

    /** The option of the compiler makes a mark on each package unnecessary. */
    @Test
    void everyPackageIsDocumentedAndCheckedForNull() throws IOException {
        Path root = Path.of(System.getProperty("quorate.root"));
        assertThat(root.resolve("pom.xml"))
                .content()
                .contains("-Xep:NullAway:ERROR", "-XepOpt:NullAway:AnnotatedPackages=dev.quorate ");
        for (String module :
                List.of(
                        "storage-lsm",
                        "cluster-router",
                        "cluster-node",
                        "cluster-cli",
                        "loadtest")) {
            try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/main/java"))) {
                List<Path> folders =
                        files.filter(file -> file.toString().endsWith(".java"))
                                .map(Path::getParent)
                                .distinct()
                                .toList();
                assertThat(folders).isNotEmpty();
                for (Path folder : folders) {
                    assertThat(folder.resolve("package-info.java"))
                            .exists()
                            .content()
                            .contains("/**");
                }
            }
        }
    }
}
