package dev.quorate.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Supplies JUnit test methods, and methods that run before and after each, with a parameter of the
 * type {@link QuorateCluster}, and one of the type {@link dev.quorate.client.QuorateClient} for all
 * of its nodes. A cluster is started for each test method with such a parameter, and closed after
 * it; if the test fails, the injected faults are printed.
 *
 * <pre>{@code
 * @QuorateTest(nodes = 3, settings = "request-timeout=300ms")
 * class MyTest {
 *     @Test
 *     void survivesTheLossOfANode(QuorateCluster cluster) { ... }
 * }
 * }</pre>
 *
 * <p>On a method it replaces the annotation of the class.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(QuorateExtension.class)
public @interface QuorateTest {

    /** How many nodes. */
    int nodes() default 3;

    /** Options of every node, each as {@code key=value}; see {@code QuorateCluster.Builder}. */
    String[] settings() default {};

    /**
     * Whether all tests of the class share one cluster, in the state that the previous test left.
     * Only on a class. Methods that run before and after all may then have the parameter too.
     */
    boolean shared() default false;
}
