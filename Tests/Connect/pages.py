"""The pages of docs/connect, and what a comment before a block says about it."""

import pathlib
import re
import textwrap

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = REPOSITORY / "docs/connect"
MARK = re.compile(r"<!-- (run|serve|file|append|python|person|shown|not run)(?:: ([^>]+?))? -->")
GIVEN = re.compile(r"<!-- given: (.*?) -->")


class Unmarked(Exception):
    """A block of a page that says nothing about itself, or a mark that is incomplete."""


def names():
    """The pages of products, which README.md lists."""
    return sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")


def text(name):
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def given(name):
    """The words `name=value` of a page's comment “given”. Without one, nobody runs the page."""
    found = GIVEN.search(text(name))
    return dict(word.split("=", 1) for word in found[1].split()) if found else None


def parts(name):
    """Yields line number, mark, its word, and the block, which `person` does not have."""
    lines, mark, number, paragraph = text(name).split("\n"), None, 0, ""
    while number < len(lines):
        line = lines[number]
        found = MARK.fullmatch(line.strip())
        if found:
            mark = found
            if mark[1] == "person":
                yield number + 1, "person", mark[2] or "", ""
                mark = None
        elif line.startswith("    ") and not lines[number - 1].strip():
            end = number
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            if mark is None:
                raise Unmarked(f"docs/connect/{name}.md:{number + 1}: the block has no mark, such as <!-- run -->")
            kind, word = mark[1], mark[2] or ""
            # The reader sees no mark, so the words before the block name its file.
            if kind in ("file", "append") and word not in paragraph:
                raise Unmarked(f"docs/connect/{name}.md:{number + 1}: the text before the block does not name {word}")
            if kind == "not run" and not word:
                raise Unmarked(f"docs/connect/{name}.md:{number + 1}: the mark does not say why")
            yield number + 1, kind, word, textwrap.dedent("\n".join(lines[number:end])) + "\n"
            mark, number = None, end - 1
        elif line.strip() and not line.startswith("<!--"):
            mark = None
            paragraph = line if lines[number - 1].strip() == "" else f"{paragraph} {line}"
        number += 1
