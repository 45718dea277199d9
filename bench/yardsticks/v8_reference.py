"""The v8 reference protocol in Python, as a hand of the bench's crew: v8_reference.py WHO."""
import json
import os
import sys
import time
import zlib
from pathlib import Path

VARIANTS = [f"the quick brown fox {str(n) * 12}"[:40] for n in range(64)]


def body_of(who, number):
    text = VARIANTS[number % 64]
    return f"{who} {number} {text} {(zlib.crc32(text.encode()) ^ number) & 0xFFFFFFFF}"


def write_to_inbox(inbox_path, message):
    lock_path = inbox_path.with_suffix(".lock")
    for _ in range(50):
        try:
            os.close(os.open(str(lock_path), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            time.sleep(0.05)
    try:
        with open(inbox_path, "a") as f:
            f.write(json.dumps(message) + "\n")
    finally:
        lock_path.unlink(missing_ok=True)


def write_for(directory, who, ms):
    inbox = Path(directory) / "inbox.jsonl"
    began, count = time.monotonic(), 0
    while (time.monotonic() - began) * 1000 < ms:
        message = {"type": "message", "sender": who, "content": body_of(who, count), "timestamp": time.time()}
        write_to_inbox(inbox, message)
        count += 1
    return {"who": who, "count": count, "ms": (time.monotonic() - began) * 1000}


print('"ready"', flush=True)
for line in sys.stdin:
    told = json.loads(line)
    print(json.dumps(write_for(told["dir"], sys.argv[1], told["ms"])), flush=True)
