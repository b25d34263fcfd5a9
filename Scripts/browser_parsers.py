"""Finds where the browser SDK reads outside text with what may throw, or runs it as markup or code (SEC-6).
`Scripts/check-parsers` uses it.

JavaScript's parsers have no grammar of ours before them, but each of these throws at what it does not take. So it stands
in a `try` of its own function, or in a promise that catches. `Date.parse`, `parseInt` and `Number` give NaN instead and
are no finding. What makes markup or code of a text is none of the SDK's business at all.

It reads the files as text, by the indentation that they have: a `try {` opens a line's block, an arrow or a function
ends the search, because what it runs may run later.
"""
import re

THROWS = re.compile(
    r"\bJSON\.parse\(|\bnew URL\((?!\s*[\"'][^\"'$]*[\"']\s*[,)])|\bdecodeURI(?:Component)?\(|\batob\(|\bnew RegExp\("
    r"|\.json\(\)(?!\s*\.catch\()|\bnew Intl\.\w+\((?!\))|\bIntl\.\w+\((?!\))"
)
RUNS = re.compile(
    r"\.(?:inner|outer)HTML\s*\+?=(?!=)|\.insertAdjacentHTML\(|\bdocument\.write(?:ln)?\(|\beval\(|\bnew Function\(|\.srcdoc\b"
    r"|\bDOMParser\b|\bcreateContextualFragment\(|\bset(?:Timeout|Interval)\(\s*[\"'`]"
)
TRY = re.compile(r"\btry \{\s*$")
TRY_HERE = re.compile(r"\btry \{[^}]*$")
FUNCTION = re.compile(r"(?:=>\s*\{|\bfunction\b.*\{)\s*$|^\s*(?:(?:async|static|get|set)\s+)*(?!(?:if|for|while|switch|catch)\b)[#\w$]+\(.*\)\s*\{\s*$")
COMMENT = re.compile(r"^\s*(?://|/?\*)")

UNGUARDED = "a parser that may throw, outside of a try"
MARKUP = "a text made into markup or code"


def places(text):
    """What is found, and in which line."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if COMMENT.match(line):
            continue
        for found in THROWS.finditer(line):
            if not TRY_HERE.search(line[: found.start()]) and not is_tried(lines, i):
                yield UNGUARDED, i + 1
        for _ in RUNS.finditer(line):
            yield MARKUP, i + 1


def is_tried(lines, i):
    """Whether a `try` of its function is around a line."""
    deepest = indentation(lines[i])
    for line in reversed(lines[:i]):
        if not line.strip() or indentation(line) >= deepest:
            continue
        if TRY.search(line):
            return True
        if FUNCTION.search(line):
            return False
        deepest = indentation(line)
    return False


def indentation(line):
    return len(line) - len(line.lstrip())


FOUND = {
    UNGUARDED: [
        "const json = JSON.parse(text);",
        "function read(text) {\n  return new URL(text, location.href);\n}",
        "try {\n  later(() => {\n    read(JSON.parse(text));\n  });\n} catch {}",
        "try {\n  a();\n} catch {\n  b = decodeURIComponent(text);\n}",
        "const said = await response.json();",
        "const binary = atob(token);",
        "const pattern = new RegExp(text);",
    ],
    MARKUP: ["box.innerHTML = text;", "box.insertAdjacentHTML('beforeend', text);", "eval(text);", "document.write(html);", "frame.srcdoc = html;"],
}
NOT_FOUND = [
    "try {\n  json = JSON.parse(text);\n} catch {\n  isGarbled = true;\n}",
    "try {\n  if (text) {\n    json = JSON.parse(text);\n  }\n} catch {}",
    "try { return new URL(text); } catch { return null; }",
    'frame.src = new URL("./belfry-frame.html", import.meta.url);',
    "const said = await response.json().catch(() => {});",
    "// JSON.parse(text)",
    "box.textContent = text;",
    "if (box.innerHTML === text) return;",
    "const body = JSON.stringify(record);",
    "const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;",
]


def check_itself():
    for what, samples in FOUND.items():
        for sample in samples:
            if what not in [found for found, _ in places(sample)]:
                yield f"does not find {what} in '{sample}'; mend its pattern"
    for sample in NOT_FOUND:
        for found, _ in places(sample):
            yield f"finds {found} in '{sample}'; mend its pattern"
