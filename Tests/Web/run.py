"""run.py [WORD…]: runs the tests of the pages whose titles contain one of the words, or all."""

import importlib
import pathlib
import sys

import testing

if __name__ == "__main__":
    for file in sorted(pathlib.Path(__file__).parent.glob("test_*.py")):
        importlib.import_module(file.stem)
    sys.exit(testing.main(sys.argv[1:]))
