package dev.quorate.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Supplies JUnit test methods, and methods that run before and after each test, with parameters of
 * the types {@link QuorateCluster} and {@link dev.quorate.client.QuorateClient}, a client of all
 * its nodes. Starts a cluster for each test method with such a parameter, and closes it afterwards.
 * Prints the injected faults if the test fails.
 *
 * <pre>{@code
 * @QuorateTest(nodes = 3, settings = "request-timeout=300ms")
 * class MyTest {
 *     @Test
 *     void survivesTheLossOfANode(QuorateCluster cluster) { ... }
 * }
 * }</pre>
 *
 * <p>An annotation of a method replaces that of the class.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(QuorateExtension.class)
public @interface QuorateTest {

    int nodes() default 3;

    /** Options of every node, each as {@code key=value}; see {@code QuorateCluster.Builder}. */
    String[] settings() default {};

    /**
     * Whether all tests of the class share one cluster, in the state that the previous test left.
     * Only on a class. Methods that run before and after all tests may then have the parameters.
     */
    boolean shared() default false;
}
