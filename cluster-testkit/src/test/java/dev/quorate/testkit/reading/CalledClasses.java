package dev.quorate.testkit.reading;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Loads the classes of the program anew, and counts the calls of each method of a node. The first
 * instruction of each method is a call of {@link #called}.
 */
public final class CalledClasses extends ClassLoader {

    private static final int MOST_METHODS = 1 << 15;
    private static final String[] CLASSES = new String[MOST_METHODS];
    private static final AtomicIntegerArray CALLS = new AtomicIntegerArray(MOST_METHODS);
    private static int methods;

    private final ClassFile classFiles =
            ClassFile.of(
                    ClassFile.ClassHierarchyResolverOption.of(
                            ClassHierarchyResolver.ofResourceParsing(this)));

    CalledClasses(ClassLoader parent) {
        super(parent);
    }

    /** Notes a call of the method with this number. */
    public static void called(int method) {
        CALLS.getAndIncrement(method);
    }

    /** Forgets all calls. */
    public static synchronized void reset() {
        for (int method = 0; method < methods; method++) {
            CALLS.set(method, 0);
        }
    }

    /**
     * Returns the top-level classes with a method that was called so often.
     *
     * @return names without {@code dev.quorate.}
     */
    public static synchronized Set<String> calledAtLeast(int times) {
        Set<String> called = new TreeSet<>();
        for (int method = 0; method < methods; method++) {
            if (CALLS.get(method) >= times) {
                called.add(CLASSES[method]);
            }
        }
        return called;
    }

    private static synchronized int number(String className) {
        CLASSES[methods] = className.replace("dev.quorate.", "").replaceFirst("\\$.*", "");
        return methods++;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("dev.quorate.") || name.equals(CalledClasses.class.getName())) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            if (name.matches("dev\\.quorate\\.(node|router|storage)\\..*")) {
                bytes = counting(name, classFiles.parse(bytes));
            }
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] counting(String name, ClassModel model) {
        return classFiles.transformClass(
                model,
                (type, element) -> {
                    if (element instanceof MethodModel method && method.code().isPresent()) {
                        type.transformMethod(
                                method,
                                MethodTransform.transformingCode(new Counting(number(name))));
                    } else {
                        type.with(element);
                    }
                });
    }

    private record Counting(int method) implements CodeTransform {

        @Override
        public void atStart(CodeBuilder code) {
            code.loadConstant(method)
                    .invokestatic(
                            ClassDesc.of(CalledClasses.class.getName()),
                            "called",
                            MethodTypeDesc.ofDescriptor("(I)V"));
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            code.with(element);
        }
    }
}
