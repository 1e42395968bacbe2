package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.http.AnswerParser;
import dev.quorate.loadtest.http.AnswerReader;
import dev.quorate.loadtest.http.RespReader;
import dev.quorate.loadtest.load.Load;

/** How requests are written and answers read. */
enum Dialect {
    OURS,
    ETCD,
    REDIS;

    /** Of the server that a load is for. */
    static Dialect of(Load load) {
        return switch (load.requests().api()) {
            case REPLICAS, ACK_FROM -> OURS;
            case ETCD -> ETCD;
            case REDIS -> REDIS;
        };
    }

    /** A new one for each connection. */
    AnswerParser parser() {
        return this == REDIS ? new RespReader() : new AnswerReader();
    }

    /**
     * For one thread.
     *
     * @param host of the server, with its port
     */
    RequestEncoder encoder(Load load, String host) {
        Load.Requests requests = load.requests();
        if (this != OURS && !requests.operation().isCommon()) {
            throw new IllegalArgumentException(requests.operation() + " is ours alone");
        }
        return switch (this) {
            case OURS -> new HttpEncoder(requests, host);
            case ETCD -> new EtcdEncoder(requests, host);
            case REDIS -> new RedisEncoder(requests);
        };
    }
}
