package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.quorate.node.offenders.UsesASimulatedDisk;
import dev.quorate.testkit.history.offenders.UsesTheProduct;
import dev.quorate.testkit.simulation.offenders.ReadsClocks;
import dev.quorate.testkit.simulation.offenders.RollsDice;
import dev.quorate.testkit.simulation.offenders.StartsThreads;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the instruments to their rules; each rule is also shown classes that break it. */
class InstrumentRulesTest {

    private static final JavaClasses MAIN =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages("dev.quorate");

    /** A rule, and a class that breaks it. */
    record Case(InstrumentRules rule, Class<?> offender) {

        @Override
        public String toString() {
            return rule + " by " + offender.getSimpleName();
        }
    }

    private static Stream<Case> offences() {
        return Stream.of(
                new Case(InstrumentRules.NO_CLOCK_OF_THEIR_OWN, ReadsClocks.NanoTime.class),
                new Case(InstrumentRules.NO_CLOCK_OF_THEIR_OWN, ReadsClocks.InstantNow.class),
                new Case(InstrumentRules.NO_CLOCK_OF_THEIR_OWN, ReadsClocks.SystemClock.class),
                new Case(InstrumentRules.NO_CLOCK_OF_THEIR_OWN, ReadsClocks.NodesClock.class),
                new Case(InstrumentRules.NO_RANDOMNESS_BUT_THE_SEEDS, RollsDice.PerThread.class),
                new Case(InstrumentRules.NO_RANDOMNESS_BUT_THE_SEEDS, RollsDice.Unseeded.class),
                new Case(InstrumentRules.NO_RANDOMNESS_BUT_THE_SEEDS, RollsDice.Shuffles.class),
                new Case(InstrumentRules.NO_RANDOMNESS_BUT_THE_SEEDS, RollsDice.Identity.class),
                new Case(InstrumentRules.NO_THREAD_OF_THEIR_OWN, StartsThreads.ByItself.class),
                new Case(InstrumentRules.NO_THREAD_OF_THEIR_OWN, StartsThreads.InPool.class),
                new Case(InstrumentRules.NO_THREAD_OF_THEIR_OWN, StartsThreads.Parallel.class),
                new Case(InstrumentRules.NO_THREAD_OF_THEIR_OWN, StartsThreads.Sleeps.class),
                new Case(InstrumentRules.THE_CHECKER_USES_THE_JDK_ALONE, UsesTheProduct.class),
                new Case(InstrumentRules.SIMULATED_DISKS_ARE_FOR_TESTS, UsesASimulatedDisk.class));
    }

    @ParameterizedTest
    @EnumSource
    void theInstrumentsKeep(InstrumentRules rule) {
        rule.rule().check(MAIN);
    }

    @ParameterizedTest
    @MethodSource("offences")
    void theRuleIsBroken(Case offence) {
        JavaClasses classes = new ClassFileImporter().importClasses(offence.offender());
        assertThat(offence.rule().rule().allowEmptyShould(true).evaluate(classes).hasViolation())
                .as("a violation")
                .isTrue();
    }

    @Test
    void everyRuleIsShownToBeBroken() {
        assertThat(offences().map(Case::rule).distinct())
                .containsExactlyInAnyOrder(InstrumentRules.values());
    }

    /** Otherwise every rule above would be kept by nobody. */
    @Test
    void theInstrumentsAndWhatTheyLookAtAreAmongTheClasses() {
        assertThat(MAIN.stream().map(JavaClass::getPackageName))
                .contains(
                        "dev.quorate.storage.simulated",
                        "dev.quorate.router.ring",
                        "dev.quorate.node",
                        "dev.quorate.testkit.simulation",
                        "dev.quorate.testkit.history");
        assertThat(MAIN.stream().map(JavaClass::getName))
                .doesNotContain(InstrumentRulesTest.class.getName());
    }
}
