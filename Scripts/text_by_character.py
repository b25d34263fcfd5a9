"""Finds where Swift handles text by `Character` at a delimiter (SEC-7). `Scripts/check-statements` uses it.

To Swift, a delimiter and the combining mark behind it are one `Character`, which is no delimiter any more; to a machine
they are two. So whatever parts, seeks, counts, keeps or escapes text at a delimiter goes over `utf8` or
`unicodeScalars`.

It reads Swift as text: that a receiver is of bytes or scalars it knows by a view in its chain (`text.utf8.split`), or by
its name (`bytes`, `scalars`, `units`). A delimiter that is a constant of some name it does not see.
"""
import re

# Letters, digits and the underscore are none: what a mark makes another letter of is another word to everybody.
WORD = re.compile(r"\w", re.ASCII)
LITERAL = r'(?:#+"[^"\n]*"#+|"(?:[^"\\\n]|\\(?:u\{\w*\}|\([^()"]*\)|[^u(]))*")'
ESCAPE = re.compile(r"\\(?:u\{(\w*)\}|\([^()]*\)|(.))", re.DOTALL)
ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
OF_UNITS = re.compile(r"utf8|utf16|unicodeScalars|scalar|byte|unit|octet", re.IGNORECASE)
# What makes a list of a view, rather than a text.
LIST = re.compile(r"(?:Array|ArraySlice|ContiguousArray|Set)$")

# Takes a delimiter, or a text that may begin or end with one.
TAKES = re.compile(
    r"(?:\.|(?<![\w.$`]))(split|firstIndex|lastIndex|contains|replacing|replacingOccurrences|replace|range|firstRange"
    r"|ranges|trimmingPrefix|starts|hasPrefix|hasSuffix|components)\s*(\()"
)
# Takes what compares each element, in parentheses or behind them.
WALKS = re.compile(
    r"(?:\.|(?<![\w.$`]))(map|flatMap|compactMap|reduce|forEach|filter|prefix|drop|split|first|last|firstIndex|lastIndex"
    r"|contains|allSatisfy|removeAll|count|trimmingPrefix|sorted|partition)\s*([({])"
)
FOR = re.compile(r"\bfor (?:case )?(\(?[\w, ]+\)?) in ([^\n{]*)\{")
END = re.compile(rf"\.(?:first|last|popFirst\(\)|popLast\(\)|removeFirst\(\)|removeLast\(\))\s*[!=]=\s*({LITERAL})")
ONE_OF = re.compile(rf"({LITERAL})\.contains\(")
ARGUMENT = re.compile(rf"\s*(?:(?:separator|of|separatedBy|with):\s*)?({LITERAL})(?!\.(?:utf8|utf16|unicodeScalars)\b)")
COMPARED = re.compile(rf"(?<![\w.)\]])(\$\d|\w+)(?:\.element)?\s*[!=]=\s*({LITERAL})|\bcase\s+((?:{LITERAL}\s*,\s*)*{LITERAL})\s*(?:where[^:\n]*)?:")
ANY_LITERAL = re.compile(LITERAL)

# Each of these must be found, and none of the others.
FOUND = [
    'for c in text { if c == "\\"" { out += "\\\\" } }',
    'for (index, letter) in text.enumerated() where letter == "," { cuts.append(index) }',
    'for letter in text {\n    switch letter {\n    case "<": out += "&lt;"\n    default: out.append(letter)\n    }\n}',
    'text.map { $0 == "<" ? "&lt;" : String($0) }.joined()',
    'text.map { letter in letter == "<" ? "&lt;" : String(letter) }',
    'text.map { letter -> String in\n    switch letter {\n    case "&", "<": "?"\n    default: String(letter)\n    }\n}',
    'text.flatMap { $0 == "\\"" ? ["\\\\", $0] : [$0] }',
    'text.reduce(into: "") { out, letter in\n    if letter == ">" { out += "&gt;" } else { out.append(letter) }\n}',
    'text.reduce("") { $1 == "&" ? $0 + "&amp;" : $0 + String($1) }',
    'text.split(separator: "\'").joined(separator: "\'\'")',
    'text.split { $0 == "," }',
    'text.split(separator: "\\r\\n")',
    'text.split(omittingEmptySubsequences: false) { $0 == ";" }',
    'header?.split(separator: " ", maxSplits: 1)',
    'text.firstIndex(of: "<")',
    'text.firstIndex(where: { $0 == ":" })',
    'text.lastIndex(of: "/")',
    'text.contains("<")',
    'text.contains { $0 == "{" }',
    'text.contains("\\u{0}")',
    'text.hasPrefix("https://")',
    'text.hasPrefix("\\(name)=")',
    'text.hasSuffix("+json")',
    'text.starts(with: "[")',
    'text.prefix { $0 != ";" }',
    'text.prefix(while: { $0 != "?" })',
    'let name = prefix { $0 != "=" }',
    'text.drop { $0 == " " }',
    'text.drop(while: { $0 == "\\t" })',
    'text.replacing("\'", with: "\'\'")',
    'text.filter { $0 != "-" }',
    'text.allSatisfy { $0 != "\\n" }',
    'text.first == "{"',
    'while text.last == "=" { text.removeLast() }',
    'text.firstIndex { "/?#".contains($0) }',
    'text.firstRange(of: "://")',
    'String(scalars.prefix(3)).split(separator: ",")',
    'String(decoding: bytes, as: UTF8.self).split(separator: "\\n")',
    'text.split(separator: #"\\"#)',
    'text\n    .lowercased()\n    .split(separator: ",")',
]
NOT_FOUND = [
    'for c in text.unicodeScalars { if c == "\\"" { out += "\\\\" } }',
    'for byte in text.utf8 where byte == UInt8(ascii: ",") { count += 1 }',
    'for scalar in scalars {\n    switch scalar {\n    case "<": out += "&lt;"\n    default: out.append(scalar)\n    }\n}',
    'text.unicodeScalars.map { $0 == "<" ? "&lt;" : String($0) }',
    'text.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0) }',
    'text.unicodeScalars.split(separator: ",")',
    'text.utf8.firstIndex(of: UInt8(ascii: "<"))',
    'text.utf8.starts(with: "https://".utf8)',
    'rest.starts(with: "{{".utf8)',
    'text.utf8.prefix { $0 != UInt8(ascii: ";") }',
    'text.unicodeScalars.first == "{"',
    'Array(text.utf8).firstIndex(of: 0x3c)',
    'text.utf8.firstIndex { "/?#".utf8.contains($0) }',
    'names.contains("http/1.1")',
    'name.hasPrefix("oidc")',
    'codes.map { "\\($0): \\(words)" }',
    'let advice = "text.split(separator: \\",\\")"',
    '// text.split(separator: ",")',
    'rows.first { $0.status != "processed" }',
    'func split(separator: String = ",") {}',
]

HANDLED = "text handled by Character at a delimiter"


def value(literal):
    """What a literal stands for; an interpolation is a letter of its own."""
    inner = literal.strip("#")[1:-1]
    if literal.startswith("#"):
        return inner
    return ESCAPE.sub(lambda found: _unescaped(found), inner)


def _unescaped(found):
    if found[1] is not None:
        return chr(int(found[1] or "0", 16))
    return "x" if found[2] is None else ESCAPED.get(found[2], found[2])


def is_delimiter(text):
    """One sign of ASCII that is no letter, or a text that ends or begins with a line break of two."""
    return text in ("\r\n",) or (len(text) == 1 and ord(text) < 128 and not WORD.match(text))


def has_edge(text, *, first, last):
    """Whether a text begins or ends with a delimiter, where a mark or a joining sign would take it."""
    return bool(text) and ((first and is_delimiter(text[0])) or (last and is_delimiter(text[-1])))


def closing(code, opening):
    """Where what opens at a position closes."""
    depth = 0
    for i in range(opening, len(code)):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return len(code)


def opened(code, closed):
    """Where what closes at a position opens."""
    depth = 0
    for i in range(closed, -1, -1):
        if code[i] in ")]}":
            depth += 1
        elif code[i] in "([{":
            depth -= 1
            if depth == 0:
                return i
    return 0


def receiver(code, end):
    """The names of the chain that ends at a position, without what stands in its parentheses, but for a list's."""
    names, i = "", end - 1
    while i >= 0:
        if code[i] in ")]}":
            start = opened(code, i)
            head = re.search(r"[\w.]*$", code[max(0, start - 60) : start])[0]
            if code[i] == ")" and LIST.search(head):
                names = code[start : i + 1] + names
            i = start - 1
        elif code[i].isalnum() or code[i] in "_.$?!`":
            names = code[i] + names
            i -= 1
        elif code[i].isspace():
            # A chain goes on over a line's end where the next line begins with a dot, or before a closure.
            before = code[: i + 1].rstrip()
            after = code[i + 1 :].lstrip()[:1]
            if not before or not (after == "." or (after == "{" and re.search(r"[\w)\]]$", before))):
                break
            i = len(before) - 1
        else:
            break
    return names


def is_of_units(code, start):
    return OF_UNITS.search(receiver(code, start)) is not None


def is_declared(code, start):
    return re.search(r"\bfunc\s+$", code[max(0, start - 12) : start]) is not None


def delimiter_compared(text, code, start, end, names=None):
    """Where between two positions an element is compared with a delimiter; of the names, if some are given."""
    for found in COMPARED.finditer(text, start, end):
        if code[found.start()] == " " or not code[found.start() : found.start() + 1].strip():
            continue
        if found[3] is None:
            if names is not None and found[1] not in names:
                continue
            if is_delimiter(value(found[2])):
                yield found.start()
        elif any(is_delimiter(value(literal)) for literal in ANY_LITERAL.findall(found[3])):
            switches = re.findall(r"\bswitch ([^{\n]*)\{", code[start : found.start()])
            if switches and OF_UNITS.search(switches[-1]) is None:
                yield found.start()


def places(text, code):
    """Where a text is handled by Character at a delimiter."""
    found = set()
    found.update(_taking(text, code))
    found.update(_walking(text, code))
    found.update(_going_through(text, code))
    for end in END.finditer(text):
        if code[end.start()] != " " and is_delimiter(value(end[1])) and not is_of_units(code, end.start()):
            found.add(end.start())
    for one_of in ONE_OF.finditer(text):
        # The opening quote is blank in the code; within another literal the parenthesis is, too.
        if code[one_of.end() - 1] == "(" and any(is_delimiter(sign) for sign in value(one_of[1])):
            argument = code[one_of.end() : closing(code, one_of.end() - 1)]
            if OF_UNITS.search(argument) is None:
                found.add(one_of.start())
    return sorted(found)


def _taking(text, code):
    for call in TAKES.finditer(code):
        argument = ARGUMENT.match(text, call.end())
        if argument is None or is_declared(code, call.start()) or is_of_units(code, call.start()):
            continue
        taken = value(argument[1])
        name = call[1]
        if has_edge(taken, first=name not in ("hasPrefix", "starts", "trimmingPrefix"), last=name != "hasSuffix"):
            yield call.start()


def _walking(text, code):
    for call in WALKS.finditer(code):
        if is_declared(code, call.start()) or is_of_units(code, call.start()):
            continue
        end = closing(code, call.start(2))
        # A closure behind the parentheses belongs to the call.
        if call[2] == "(" and re.match(r"\s*\{", code[end + 1 :]):
            end = closing(code, code.index("{", end))
        body = code[call.start(2) : end]
        names = {"$0", "$1"} | set(re.findall(r"\w+", "".join(re.findall(r"\{\s*([\w, ()]+?)(?:\s*->\s*\w+)?\s+in\b", body))))
        yield from delimiter_compared(text, code, call.start(2), end, names)


def _going_through(text, code):
    for loop in FOR.finditer(code):
        through, _, condition = loop[2].partition(" where ")
        if OF_UNITS.search(re.sub(r"\.\.[.<].*", "", through)):
            continue
        end = closing(code, loop.end() - 1)
        names = set(re.findall(r"\w+", loop[1]))
        if OF_UNITS.search(loop[1]):
            continue
        yield from delimiter_compared(text, code, loop.start(), end, names)


def check_itself(code_only):
    for sample in FOUND:
        if not places(sample, code_only(sample)):
            yield f"does not find what stands in '{sample}'; mend its pattern"
    for sample in NOT_FOUND:
        if places(sample, code_only(sample)):
            yield f"finds a text handled by Character in '{sample}'; mend its pattern"
