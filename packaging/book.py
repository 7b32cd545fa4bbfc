"""Holds the book to the repository that it is made of.

mdBook runs this as a preprocessor. The pages link to files outside of `docs`, such as
`../variants/atomic.toml`, which is right where the repository is shown and leads nowhere in a book. Such a
link becomes one to the repository, whose address stands in `Cargo.toml`; as long as that is blank, the name
of the file is said instead.

`book.py --check BOOK` looks through a book that is built: every page under `docs` is in it and says for whom
it is, and every link leads to a file of the book, and there to a heading.
"""

import json
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

DOCS = Path("docs")
# `[text](target)` with a target that is a path.
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s:#]+)([^)\s:]*)\)")


def repository():
    """The address of the repository, empty until the owner has written it."""
    manifest = Path("Cargo.toml").read_text(encoding="utf-8")
    return re.search(r'^repository = "(.*)"', manifest, re.MULTILINE)[1].rstrip("/")


def with_links_of_book(text, page, address):
    """The text of a page, with links that lead somewhere in the book."""

    def replaced(link):
        label, target, anchor = link.groups()
        path = Path(os.path.normpath(DOCS / page.parent / target))
        if path.is_relative_to(DOCS):
            # mdBook calls the page of a folder `index`.
            return f"[{label}]({re.sub('README.md$', 'index.md', target)}{anchor})"
        if address:
            return f"[{label}]({address}/blob/HEAD/{path}{anchor})"
        return f"`{path}`" if label.strip("`") in str(path) else f"{label} (`{path}`)"

    return LINK.sub(replaced, text)


def preprocess():
    """Reads mdBook's book from standard input and writes it back with other links."""
    _, book = json.load(sys.stdin)
    address = repository()
    items = list(book["items"])
    while items:
        chapter = items.pop()
        # A line or the title of a part is no chapter.
        if "Chapter" in chapter:
            chapter = chapter["Chapter"]
            page = Path(chapter["source_path"])
            chapter["content"] = with_links_of_book(chapter["content"], page, address)
            items += chapter["sub_items"]
    json.dump(book, sys.stdout)


class Page(HTMLParser):
    """The links of a page of HTML, and the places that others may link to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.places.add(attrs.get("id") or "")
        self.links += [(self.getpos()[0], attrs[name]) for name in ("href", "src") if attrs.get(name)]


def faults(book):
    """The pages that are missing in a book, and its links that lead nowhere."""
    for page in sorted(DOCS.rglob("*.md")):
        name = "index" if page.stem == "README" else page.stem
        if page == DOCS / "SUMMARY.md":
            continue
        if not (book / page.relative_to(DOCS).parent / f"{name}.html").exists():
            yield f"{page}: not in the book; name it in docs/SUMMARY.md"
        # Records, whose names begin with a number or a date, are introduced by the page that lists them.
        if not name[0].isdigit() and "\n\nFor " not in page.read_text(encoding="utf-8")[:200]:
            yield f"{page}: the first sentence says for whom the page is"
    pages = {path: Page(path) for path in sorted(book.rglob("*.html"))}
    for path, page in pages.items():
        for line, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path.parent.joinpath(unquote(parts.path)) if parts.path else path
            target = Path(os.path.normpath(target))
            if not target.is_relative_to(book) or not target.is_file():
                yield f"{path}:{line}: the link `{link}` leads to nothing"
            elif target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{path}:{line}: `{link}` leads to no heading"


def check(book):
    """Prints what is wrong with a book, and says by the exit code whether anything is."""
    found = list(faults(book))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--check", book]:
            sys.exit(check(Path(book)))
        case ["supports", _renderer]:
            sys.exit(0)
        case _:
            preprocess()
