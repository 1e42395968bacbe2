package dev.quorate.loadtest.report.publish;

import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import dev.quorate.loadtest.load.Spectrum;
import java.io.IOException;

/** A point of a spectrum as three numbers, since a report has thousands of them. */
final class PointAdapter extends TypeAdapter<Spectrum.Point> {

    @Override
    public void write(JsonWriter out, Spectrum.Point point) throws IOException {
        out.beginArray();
        out.value(point.valueMillis()).value(point.share()).value(point.totalCount());
        out.endArray();
    }

    @Override
    public Spectrum.Point read(JsonReader in) throws IOException {
        in.beginArray();
        Spectrum.Point point = new Spectrum.Point(in.nextDouble(), in.nextDouble(), in.nextLong());
        in.endArray();
        return point;
    }
}
