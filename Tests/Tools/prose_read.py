"""The prose of a file, as units with the line on which each begins: a paragraph, a list item, a cell, a comment, a message."""
import io
import json
import re
import tokenize

from markdown_it import MarkdownIt

MARKDOWN = MarkdownIt("commonmark").enable("table")
# Names and figures are words of a sentence, and their dots end none.
CODE = re.compile(r"``[^`]+``|`[^`]+`|\[[^\]]*\]\([^)]*\)|https?://\S+|<doc:[^>]*>")
# A message in Swift: five words or more, so that keys, formats and topics are none.
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")


def plain(text):
    """The text without what only a renderer reads: code is one word, a link is its text."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = CODE.sub("CODE", text)
    return re.sub(r"\s+", " ", text.replace("**", "").replace("…", "")).strip()


def markdown(text):
    """Paragraphs, list items, headings and cells of a Markdown document; no code, and no part that a tool writes."""
    text = re.sub(r"^<!-- begin .*?^<!-- end [^\n]*", lambda part: "\n" * part[0].count("\n"), text, flags=re.M | re.S)
    line = 1
    for token in MARKDOWN.parse(text):
        if token.map:
            line = token.map[0] + 1
        if token.type != "inline":
            continue
        words = "".join({"text": part.content, "code_inline": "CODE", "softbreak": " "}.get(part.type, "") for part in token.children)
        if words.strip():
            yield "text", line, plain(words)


def marked(text, mark, kind):
    """Comments that are whole lines which begin with `mark`; an empty one, a list item and a table row begin a new unit."""
    unit, first, fenced = [], 0, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        match = re.match(rf"\s*{mark}(?![{mark[-1]}!])\s?(.*)$", line)
        said = match[1] if match else ""
        if said.lstrip().startswith("```"):
            fenced, said = not fenced, ""
        # Four blanks more than a comment has are a sample.
        code = fenced or said.startswith("    ") or said.lstrip().startswith("|")
        item = re.match(r"\s*(?:[-*]|\d+\.) (?:(?:Parameters?|Returns|Throws)\b[^:]*: ?)?(.*)$", said)
        if unit and (not said.strip() or code or item):
            yield kind, first, plain(" ".join(unit))
            unit = []
        if said.strip() and not code:
            first = first if unit else number
            unit.append(item[1] if item else said)


def swift(text):
    yield from marked(text, "///", "doc")
    yield from marked(text, "//", "comment")
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("//"):
            continue
        for said in LITERAL.findall(line):
            said = plain(INTERPOLATION.sub("CODE", said).replace("\\n", ". "))
            if len(re.findall(r"[A-Za-z']{2,}", said)) >= 5:
                yield "message", number, said


def python(text):
    """Comments and documentation strings."""
    yield from marked(text, "#", "comment")
    before = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and before in (None, tokenize.INDENT, tokenize.NEWLINE) and token.string.startswith('"""'):
            line = token.start[0]
            for paragraph in re.split(r"\n\s*\n", token.string[3:-3]):
                # A usage is a sample.
                if not re.match(r"\s{4,}\S", paragraph) or line == token.start[0]:
                    yield "doc", line, plain(paragraph)
                line += paragraph.count("\n") + 2
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type


def descriptions(text):
    """Each `description` of a JSON Schema or of the AsyncAPI document, with the line on which it stands."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*"(?:description|summary)": ("(?:[^"\\]|\\.)*")', line)
        if match:
            yield "text", number, plain(json.loads(match[1]))


def sql(text):
    # A database keeps the bodies of its functions with their comments, and a migration that was taken must not change.
    text = re.sub(r"\$\$.*?\$\$", lambda body: "\n" * body[0].count("\n"), text, flags=re.S)
    yield from marked(text, "--", "comment")
    for match in re.finditer(r"(?i)^comment on .*? is\s+((?:'(?:[^']|'')*'\s*)+)", text, flags=re.M | re.S):
        said = " ".join(re.findall(r"'((?:[^']|'')*)'", match[1]))
        yield "text", text.count("\n", 0, match.start(1)) + 1, plain(said.replace("''", "'"))


READERS = {
    ".md": markdown, ".swift": swift, ".py": python, ".json": descriptions, ".sql": sql,
    ".js": lambda text: marked(text, "//", "comment"),
    ".sh": lambda text: marked(text, "#", "comment"), "": lambda text: marked(text, "#", "comment"),
    ".toml": lambda text: marked(text, "#", "comment"), ".conf": lambda text: marked(text, "#", "comment"),
}
