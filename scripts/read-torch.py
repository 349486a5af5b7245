"""Prints the tensors of floating-point numbers in a file as `torch.save` wrote it before version 1.6.

A pickle is a program, which may call anything. This reader lets it have four names, and the file is
pinned by its hash. mien embeds the script and runs it: python3 -I -c SCRIPT FILE SHA256

The file has five pickles: a magic number, the format's version, the byte order, a dictionary of
tensors, and the keys of the storages. Then, for each key, a count of eight bytes and the numbers.
Source: PyTorch 1.5, torch/serialization.py, _legacy_save. The output is a line of JSON, a list of
names and shapes, and then the numbers of these tensors, four bytes each, little-endian.
"""

import collections
import hashlib
import io
import json
import math
import pickle
import struct
import sys

ALLOWED = {
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): lambda storage, start, shape, *_: (storage, start, shape),
    ("torch", "FloatStorage"): "f",
    ("torch", "LongStorage"): "q",
}


class Reader(pickle.Unpickler):
    def find_class(self, module, name):
        return ALLOWED[module, name]

    def persistent_load(self, parts):
        return parts[1], parts[2]  # the kind of its numbers, and its key


with open(sys.argv[1], "rb") as opened:
    data = opened.read()
if hashlib.sha256(data).hexdigest() != sys.argv[2]:
    sys.exit(f"{sys.argv[1]} was changed")
file = io.BytesIO(data)
_, _, _, tensors, keys = [Reader(file).load() for _ in range(5)]
kinds = {key: kind for (kind, key), _, _ in tensors.values()}
storages = {key: file.read(struct.unpack("<q", file.read(8))[0] * struct.calcsize(kinds[key])) for key in keys}
# Training on several processors adds the prefix. Integers only count its steps.
floats = {
    name.removeprefix("module."): (storages[key], 4 * start, shape)
    for name, ((kind, key), start, shape) in tensors.items()
    if kind == "f"
}
head = [{"name": name, "shape": shape} for name, (_, _, shape) in floats.items()]
sys.stdout.buffer.write(json.dumps(head).encode() + b"\n")
for storage, start, shape in floats.values():
    sys.stdout.buffer.write(storage[start : start + 4 * math.prod(shape)])
