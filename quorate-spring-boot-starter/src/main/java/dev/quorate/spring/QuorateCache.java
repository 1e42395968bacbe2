package dev.quorate.spring;

import dev.quorate.client.BatchOperation;
import dev.quorate.client.BatchResult;
import dev.quorate.client.Condition;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.Range;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.WriteOptions;
import dev.quorate.client.WriteResult;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.AbstractValueAdaptingCache;
import org.springframework.util.ClassUtils;

/**
 * A cache with a key of the cluster for each value. Values are serialized by Java. A client that
 * can write these keys chooses what is read, so the filter limits it. If several programs load the
 * same value at once, each of them computes it.
 */
final class QuorateCache extends AbstractValueAdaptingCache {

    private static final int BATCH = 256;

    private final QuorateClient client;
    private final String name;
    private final String prefix;
    private final WriteOptions options;
    private final ObjectInputFilter filter;

    /**
     * @param prefix of the keys of all caches
     * @param options with the time to live of values
     * @param filter of the classes that are read
     */
    QuorateCache(
            QuorateClient client,
            String name,
            String prefix,
            WriteOptions options,
            ObjectInputFilter filter) {
        super(true);
        this.client = client;
        this.name = name;
        // No name is the beginning of another cache's keys.
        this.prefix = prefix + name.replace("%", "%25").replace("/", "%2F") + "/";
        this.options = options;
        this.filter = filter;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Object getNativeCache() {
        return client;
    }

    private Key key(Object key) {
        String text = key.toString();
        String ofObject = key.getClass().getName() + "@" + Integer.toHexString(key.hashCode());
        if (text.equals(ofObject)) {
            throw new IllegalArgumentException(
                    "A key of the cache '"
                            + name
                            + "' needs a toString() of its own, which "
                            + key.getClass().getName()
                            + " has not.");
        }
        return Key.of(prefix + text);
    }

    @Override
    protected @Nullable Object lookup(Object key) {
        return client.get(key(key), ReadOptions.DEFAULT)
                .map(Entry::value)
                .map(this::deserialized)
                .orElse(null);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T get(Object key, Callable<T> loader) {
        ValueWrapper found = get(key);
        if (found != null) {
            return (T) found.get();
        }
        T value;
        try {
            value = loader.call();
        } catch (Exception e) {
            throw new ValueRetrievalException(key, loader, e);
        }
        put(key, value);
        return value;
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        client.put(key(key), serialized(toStoreValue(value)), options);
    }

    @Override
    public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
        WriteResult result =
                client.putIf(
                        key(key), serialized(toStoreValue(value)), Condition.ifAbsent(), options);
        return result instanceof WriteResult.Written ? null : get(key);
    }

    @Override
    public void evict(Object key) {
        client.delete(key(key), WriteOptions.DEFAULT);
    }

    /** Deletes all keys of the cache, one after the other. */
    @Override
    public void clear() {
        List<BatchOperation> deletes = new ArrayList<>();
        client.entries(Range.withPrefix(prefix).keysOnly())
                .forEach(
                        entry -> {
                            deletes.add(BatchOperation.delete(entry.key()));
                            if (deletes.size() == BATCH) {
                                delete(deletes);
                                deletes.clear();
                            }
                        });
        delete(deletes);
    }

    private void delete(List<BatchOperation> deletes) {
        for (BatchResult each : client.batch(deletes, WriteOptions.DEFAULT)) {
            if (each instanceof BatchResult.Failed failed) {
                throw failed.why();
            }
        }
    }

    private static byte[] serialized(Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "A " + value.getClass().getName() + " cannot be cached: " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    private Object deserialized(byte[] bytes) {
        try (ObjectInputStream in = new ContextObjectInputStream(bytes)) {
            in.setObjectInputFilter(filter);
            return in.readObject();
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException(
                    "A value of the cache '"
                            + name
                            + "' cannot be read ("
                            + e.getMessage()
                            + "). Are its classes in quorate.cache.classes?",
                    e);
        }
    }

    /** Finds classes as the application does. */
    private static final class ContextObjectInputStream extends ObjectInputStream {

        ContextObjectInputStream(byte[] bytes) throws IOException {
            super(new ByteArrayInputStream(bytes));
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass type)
                throws IOException, ClassNotFoundException {
            try {
                return Class.forName(type.getName(), false, ClassUtils.getDefaultClassLoader());
            } catch (ClassNotFoundException e) {
                return super.resolveClass(type);
            }
        }
    }
}
