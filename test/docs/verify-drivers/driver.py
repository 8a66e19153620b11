# Reads vectors, a line each, and answers true or false, a line each. The sample stands beside it as sample.py.
import base64
import sys

from sample import verify_webhook


def parts(item):
    name, _, encoded = item.partition(":")
    return name, base64.b64decode(encoded)


def items(text):
    return [parts(item) for item in text.split(",") if item != ""]


for line in sys.stdin.read().rstrip("\n").split("\n"):
    now, secrets, headers, body = line.split("\t")
    named = {name: value.decode() for name, value in items(headers)}
    known = [value.decode() for _, value in items(secrets)]
    print("true" if verify_webhook(parts(body)[1], named, known, int(now)) else "false")
