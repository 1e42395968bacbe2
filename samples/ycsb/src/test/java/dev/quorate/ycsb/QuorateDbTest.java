package dev.quorate.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.testkit.QuorateCluster;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/** Every operation that YCSB knows, against a cluster in this process. */
class QuorateDbTest {

    private static QuorateCluster cluster;

    @BeforeAll
    static void start() {
        cluster = QuorateCluster.start(3).awaitReady();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static QuorateDb db(String... properties) throws DBException {
        Properties all = new Properties();
        all.setProperty("quorate.urls", cluster.url(1));
        for (int i = 0; i < properties.length; i += 2) {
            all.setProperty(properties[i], properties[i + 1]);
        }
        QuorateDb db = new QuorateDb();
        db.setProperties(all);
        db.init();
        return db;
    }

    private static Map<String, ByteIterator> fields(String... namesAndContents) {
        Map<String, ByteIterator> fields = new HashMap<>();
        for (int i = 0; i < namesAndContents.length; i += 2) {
            fields.put(namesAndContents[i], new StringByteIterator(namesAndContents[i + 1]));
        }
        return fields;
    }

    private static Map<String, String> read(QuorateDb db, String key, String... fields) {
        Map<String, ByteIterator> result = new HashMap<>();
        assertThat(db.read("t", key, fields.length == 0 ? null : Set.of(fields), result))
                .isEqualTo(Status.OK);
        return texts(result);
    }

    private static Map<String, String> texts(Map<String, ByteIterator> row) {
        Map<String, String> texts = new HashMap<>();
        row.forEach((name, content) -> texts.put(name, content.toString()));
        return texts;
    }

    @Test
    void whatIsInsertedIsReadWholeOrInPart() throws DBException {
        QuorateDb db = db();
        assertThat(db.insert("t", "in/ß ?&", fields("a", "1", "b", "2"))).isEqualTo(Status.OK);
        assertThat(read(db, "in/ß ?&")).isEqualTo(Map.of("a", "1", "b", "2"));
        assertThat(read(db, "in/ß ?&", "b", "c")).isEqualTo(Map.of("b", "2"));
        db.cleanup();
    }

    @Test
    void anUpdateKeepsTheOtherFieldsUnlessAllAreWritten() throws DBException {
        QuorateDb db = db();
        assertThat(db.update("t", "up", fields("a", "1"))).isEqualTo(Status.NOT_FOUND);
        assertThat(db.insert("t", "up", fields("a", "1", "b", "2"))).isEqualTo(Status.OK);
        assertThat(db.update("t", "up", fields("b", "3"))).isEqualTo(Status.OK);
        assertThat(read(db, "up")).isEqualTo(Map.of("a", "1", "b", "3"));
        QuorateDb all = db("writeallfields", "true");
        assertThat(all.update("t", "up", fields("b", "4"))).isEqualTo(Status.OK);
        assertThat(read(db, "up")).isEqualTo(Map.of("b", "4"));
    }

    @Test
    void whatIsDeletedIsNotFound() throws DBException {
        QuorateDb db = db();
        assertThat(db.insert("t", "gone", fields("a", "1"))).isEqualTo(Status.OK);
        assertThat(db.delete("t", "gone")).isEqualTo(Status.OK);
        assertThat(db.read("t", "gone", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    }

    @Test
    @SuppressWarnings("JdkObsolete") // YCSB's signature
    void aScanHasSoManyRowsOfItsTableInOrder() throws DBException {
        QuorateDb db = db("quorate.replicas", "3/3");
        for (int i = 0; i < 5; i++) {
            assertThat(db.insert("scanned", "key" + i, fields("n", "" + i, "m", "x")))
                    .isEqualTo(Status.OK);
        }
        assertThat(db.insert("scanned0", "key0", fields("n", "of another"))).isEqualTo(Status.OK);
        Vector<HashMap<String, ByteIterator>> rows = new Vector<>();
        assertThat(db.scan("scanned", "key1", 3, Set.of("n"), rows)).isEqualTo(Status.OK);
        assertThat(rows.stream().map(QuorateDbTest::texts))
                .containsExactly(Map.of("n", "1"), Map.of("n", "2"), Map.of("n", "3"));
        rows.clear();
        assertThat(db.scan("scanned", "key3", 100, null, rows)).isEqualTo(Status.OK);
        assertThat(rows).hasSize(2);
    }

    @Test
    void whatIsNotAnsweredOrRefusedIsNoSuccess() throws DBException {
        assertThat(db("quorate.replicas", "4/3").insert("t", "k", fields("a", "1")))
                .isEqualTo(Status.BAD_REQUEST);
        Status status = db("quorate.urls", "http://127.0.0.1:1").insert("t", "k", fields("a", "1"));
        assertThat(status.getName()).isEqualTo("NO_ANSWER");
        assertThatThrownBy(() -> db("quorate.urls", "localhost:8080"))
                .isInstanceOf(DBException.class);
    }
}
