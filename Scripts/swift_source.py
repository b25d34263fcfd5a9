"""Reads Swift as text, well enough to tell code from comments and strings. The checks share it."""
import pathlib
import re

STRING = re.compile(r'(#*)("""|")')
EXTENDED_REGEX = re.compile(r"(#+)/")
# A bare slash opens a regex literal only where an expression may begin.
BEFORE_LITERAL = re.compile(r"(?:^|[(,=:\[{;!&|?]|\b(?:return|in|try|case|await))\s*$")
# Where something other than code may begin, and in an interpolation also what may end it.
OPENING = re.compile(r'[/"#]')
OPENING_OR_PARENTHESIS = re.compile(r'[/"#()]')
STRING_MARK = re.compile(r'["\\\n]')
NOT_LINE_END = re.compile(r"[^\n]")
# The word with which all that a pattern finds begins; of one with alternatives it is not known.
LEADING_WORD = re.compile(r"\\b(\w{3,})(?![\w?*{])[^|]*$")


def swift_files(root, *places):
    """The Swift files below the places, which are folders relative to the root; hidden folders are left out."""
    for place in places:
        for path in sorted((root / place).rglob("*.swift")):
            relative = path.relative_to(root)
            if not any(part.startswith(".") for part in relative.parts):
                yield relative


def read(root, relative):
    return (root / relative).read_text(encoding="utf-8", errors="replace")


def code_only(text):
    """The text with comments, strings and regex literals as spaces; lines and columns stay, interpolations too."""
    return _Blanker(text).run()


def code_and_regexes(text):
    """The same, and where the regex literals of the text begin."""
    blanker = _Blanker(text)
    return blanker.run(), blanker.regexes


def is_comment(line):
    """Whether the line holds a comment and nothing else."""
    stripped = line.strip()
    return stripped.startswith(("//", "/*", "*/", "* ")) or stripped.endswith("*/")


def occurrences(pattern, text):
    """What `pattern.finditer` finds. A text without the pattern's first word is not searched, which saves most of the time."""
    word = LEADING_WORD.match(pattern.pattern)
    return pattern.finditer(text) if word is None or word[1] in text else ()


def line_of(text, position):
    return text.count("\n", 0, position) + 1


class _Blanker:
    def __init__(self, text):
        self.text = text
        self.out = list(text)
        self.regexes = []

    def run(self):
        self.code(0, inside_parenthesis=False)
        return "".join(self.out)

    def wipe(self, start, end):
        self.out[start:end] = NOT_LINE_END.sub(" ", self.text[start:end])

    def code(self, i, inside_parenthesis):
        """Walks code from i; inside an interpolation it stops behind the parenthesis that closes it."""
        text, depth = self.text, 1
        marks = OPENING_OR_PARENTHESIS if inside_parenthesis else OPENING
        while mark := marks.search(text, i):
            i = mark.start()
            literal = self.literal(i)
            if literal is not None:
                i = literal
                continue
            if inside_parenthesis:
                depth += {"(": 1, ")": -1}.get(text[i], 0)
                if depth == 0:
                    return i + 1
            i += 1
        return len(text)

    def literal(self, i):
        """Where the comment, string or regex literal that begins at i ends; nothing when none begins there."""
        text = self.text
        if text.startswith("//", i):
            return self.wiped(i, self.find("\n", i))
        if text.startswith("/*", i):
            return self.wiped(i, self.end_of_block_comment(i))
        string = STRING.match(text, i)
        if string:
            return self.string(i, string.group(1), string.group(2))
        extended = EXTENDED_REGEX.match(text, i)
        if extended:
            closing = "/" + extended.group(1)
            self.regexes.append(i)
            return self.wiped(i, self.find(closing, extended.end()) + len(closing))
        return self.bare_regex(i) if text[i] == "/" else None

    def wiped(self, start, end):
        self.wipe(start, end)
        return end

    def find(self, what, start):
        found = self.text.find(what, start)
        return len(self.text) if found < 0 else found

    def end_of_block_comment(self, i):
        depth = 0
        for token in re.compile(r"/\*|\*/").finditer(self.text, i):
            depth += 1 if token.group() == "/*" else -1
            if depth == 0:
                return token.end()
        return len(self.text)

    def string(self, i, hashes, quote):
        text, closing, escape = self.text, quote + hashes, "\\" + hashes
        self.wipe(i, i + len(hashes + quote))
        i += len(hashes + quote)
        while i < len(text):
            mark = STRING_MARK.search(text, i)
            if not mark:
                return self.wiped(i, len(text))
            i = self.wiped(i, mark.start())
            if text.startswith(closing, i):
                return self.wiped(i, i + len(closing))
            if text.startswith(escape + "(", i):
                self.wipe(i, i + len(escape))
                i = self.code(i + len(escape) + 1, inside_parenthesis=True)
            elif text.startswith(escape, i):
                i = self.wiped(i, i + len(escape) + 1)
            elif text[i] == "\n" and quote == '"':
                return i  # not closed: the compiler will say so
            else:
                i = self.wiped(i, i + 1)
        return i

    def bare_regex(self, i):
        text = self.text
        line_start = text.rfind("\n", 0, i) + 1
        before = "".join(self.out[line_start:i])
        if not BEFORE_LITERAL.search(before) or text[i + 1 : i + 2] in ("", " ", "\n", "=", ")", ","):
            return None
        k = i + 1
        while k < len(text) and text[k] != "\n":
            if text[k] == "\\":
                k += 1
            elif text[k] == "/":
                self.regexes.append(i)
                return self.wiped(i, k + 1)
            k += 1
        return None
