"""Puts the entries that stand on its standard input, one JSON object a line, into a cluster.

python3 copy-entries.py http://127.0.0.1:8180 < entries.ndjson

Ends with an error at the first entry that is not stored. See moving-data.md.
"""

import base64
import http.client
import json
import sys
import urllib.parse


def main(url):
    node = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=60)
    copied = 0
    for line in sys.stdin:
        entry = json.loads(line)
        key = urllib.parse.quote(base64.b64decode(entry["key"]), safe="")
        node.request("PUT", "/v0/entity?id=" + key, base64.b64decode(entry["value"]))
        answer = node.getresponse()
        text = answer.read()
        if answer.status != 201:
            sys.exit(f"{key}: {answer.status} {text.decode()}")
        copied += 1
    print(f"{copied} entries copied.")


main(sys.argv[1])
