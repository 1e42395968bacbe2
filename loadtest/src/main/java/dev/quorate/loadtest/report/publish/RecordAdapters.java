package dev.quorate.loadtest.report.publish;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads records, and only whole ones. Gson's own adapter, which writes them, would read a count
 * that is not there as zero, and hide why a constructor refused what it was given.
 */
final class RecordAdapters implements TypeAdapterFactory {

    @Override
    public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
        if (!type.getRawType().isRecord()) {
            return null;
        }
        TypeAdapter<T> writer = gson.getDelegateAdapter(this, type);
        return new TypeAdapter<>() {
            @Override
            public void write(JsonWriter out, T value) throws IOException {
                writer.write(out, value);
            }

            @Override
            public T read(JsonReader in) throws IOException {
                return make(gson, type, gson.getAdapter(JsonElement.class).read(in));
            }
        };
    }

    @SuppressWarnings("unchecked") // The type is the class of the record.
    private static <T> T make(Gson gson, TypeToken<T> type, JsonElement element) {
        Class<T> record = (Class<T>) type.getRawType();
        String name = record.getSimpleName();
        if (!element.isJsonObject()) {
            throw new JsonParseException("a " + name + " is no object");
        }
        RecordComponent[] components = record.getRecordComponents();
        @Nullable Object[] values = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            values[i] = value(gson, name, components[i], element.getAsJsonObject());
        }
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            Constructor<T> constructor = record.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            if (cause instanceof IllegalArgumentException) {
                throw new JsonParseException(cause.getMessage(), e);
            }
            throw new JsonParseException("a " + name + " cannot be made of what is there", e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(record + " is no record of a report", e);
        }
    }

    private static @Nullable Object value(
            Gson gson, String record, RecordComponent component, JsonObject object) {
        JsonElement element = object.get(component.getName());
        Object value =
                element == null || element.isJsonNull()
                        ? null
                        : gson.getAdapter(TypeToken.get(component.getGenericType()))
                                .fromJsonTree(element);
        if (value == null && !component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
            throw new JsonParseException("a " + record + " lacks '" + component.getName() + "'");
        }
        return value;
    }
}
