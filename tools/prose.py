"""Wraps the prose of Markdown pages at 100 columns.

    prose.py FILE...            wraps the prose of the files
    prose.py --check FILE...    complains of lines that are too long

Paragraphs and list items are wrapped; tables, headings, comments and code blocks stay as they are.
A comment within a paragraph belongs to the words before it: it takes no columns, and nothing breaks
between `2.0 times` and the comment that says which cell of a table this is (result_pages.py)."""
import re
import sys

WIDTH = 100
# A number with its unit before a comment; short code; comments; anything else without blanks.
WORD = re.compile(r"(?:[\d.,]+(?: %| times)(?=<!--)|`[^`]{1,60}`|<!--.*?-->|[^\s<]|<(?!!--))+")
ITEM = re.compile(r"( *)([-*+]|\d+[.)]) +")
# At the start of a line these would begin a list item, a heading or a quotation.
MARK = re.compile(r"[-+*]$|[#>|=]|\d+[.)]$")
COMMENT = re.compile(r"(`[^`]*`)|<!--.*?-->")


def words_of(text):
    """The words of a paragraph. A word that must not begin a line is joined to the one before."""
    words = []
    for word in WORD.findall(text):
        if words and MARK.match(word):
            words[-1] += " " + word
        else:
            words.append(word)
    return words


def wrap_paragraph(text, first, others):
    """The lines of a paragraph: the first begins with `first`, the others with `others`."""
    lines, line, at = [], first, len(first)
    is_empty = True
    for word in words_of(text):
        columns = len(COMMENT.sub(r"\1", word))
        if not is_empty and at + 1 + columns > WIDTH:
            lines.append(line)
            line, at, is_empty = others, len(others), True
        line += word if is_empty else " " + word
        at += columns + (not is_empty)
        is_empty = False
    return lines + [line]


def is_prose(line):
    """Tables, headings, code, links in a list of contents, and lines that begin with a comment or
    HTML are none."""
    return line.strip() and not re.match(r" *(?:\||```|!\[|- \[[^]]*\]\([^)]*\)$)|[#<]|    ", line)


def wrap(page):
    """The page with its prose wrapped."""
    out, paragraph, in_code = [], [], False
    first = others = ""

    def end():
        if paragraph:
            out.extend(wrap_paragraph(" ".join(paragraph), first, others))
        paragraph.clear()

    for line in page.splitlines():
        continues = paragraph and re.match(r" +[^ |]", line)  # lines of a list item may be indented at will
        if in_code or not (is_prose(line) or continues):
            end()
            out.append(line)
            in_code ^= line.startswith("```")
            continue
        item = ITEM.match(line)
        if item or not paragraph:
            end()
            first = item.group(0) if item else re.match(" *", line).group(0)
            others = " " * len(first)
        paragraph.append(line[len(first):].strip() if item else line.strip())
    end()
    return "\n".join(out) + "\n"


def long_lines(page):
    """The numbers of the lines that wrap() would break."""
    wrapped = set(wrap(page).splitlines())
    return [n for n, line in enumerate(page.splitlines(), 1)
            if len(COMMENT.sub(r"\1", line)) > WIDTH and line not in wrapped]


def main():
    paths = sys.argv[1:]
    is_check = paths[:1] == ["--check"]
    bad = False
    for path in paths[is_check:]:
        with open(path) as f:
            page = f.read()
        if is_check:
            for n in long_lines(page):
                print(f"{path}:{n}: prose longer than {WIDTH} columns; run 'python3 tools/prose.py {path}'")
                bad = True
        elif wrap(page) != page:
            with open(path, "w") as f:
                f.write(wrap(page))
    return bad


if __name__ == "__main__":
    sys.exit(main())
