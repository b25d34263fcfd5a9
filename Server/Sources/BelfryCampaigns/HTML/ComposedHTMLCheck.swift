import BelfryModel

/// Finds what is not permitted in a marketer's HTML, by everything that its template can render (SEC-4, IAM-12).
///
/// It walks the template with the possible states of a browser's tokenizer. A comment of the template adds nothing. A
/// section is read both shown and left out, and both must lead to the same state. A variable counts as any escaped
/// text, permitted where no such text can create markup, decide a scheme or become code. So names and addresses are
/// judged as they are rendered, however the template assembles them.
struct ComposedHTMLCheck {
    /// The possible states of a browser, one for each way through the sections so far. All are at the same place in the
    /// text.
    private typealias Way = [HTMLState]

    /// How many readings a text may have, and how many ways may lead to one place.
    private static let maximumWays = 8
    private static let maximumStates = 64
    /// The maximum number of steps for each byte of the text.
    private static let effort = 16

    private var judge: HTMLErrorCollector
    private var stepsLeft: Int

    private init(_ source: String, policy: HTMLPolicy) {
        judge = HTMLErrorCollector(source, policy: policy)
        stepsLeft = (source.utf8.count + 1_024) * Self.effort
    }

    /// Everything that is not permitted, each thing once, up to five; the messages name the line.
    ///
    /// - Parameters:
    ///   - nodes: the text, as ``TemplateParser`` reads it.
    ///   - source: the text itself.
    static func errors(of nodes: [TemplateNode], source: String, policy: HTMLPolicy) -> [ValueError] {
        var check = ComposedHTMLCheck(source, policy: policy)
        for way in check.walk(nodes, [[HTMLState()]]) {
            for var state in way { state.end(&check.judge) }
        }
        return check.judge.found
    }

    private mutating func walk(_ nodes: [TemplateNode], _ ways: [Way]) -> [Way] {
        var ways = ways
        var index = 0
        while index < nodes.count, !isOver {
            switch nodes[index] {
            case .text(let text, let start): read(text, from: start, &ways)
            case .variable(let tag): take(tag, &ways)
            case .section(let tag, let isInverted, let shown):
                var other: [TemplateNode] = []
                // Of two adjacent sections with opposite conditions, exactly one is shown.
                if index + 1 < nodes.count, case .section(let next, !isInverted, let nodes) = nodes[index + 1],
                    next.name == tag.name
                {
                    other = nodes
                    index += 1
                }
                ways = ways.map { pass(tag, shown, else: other, from: $0) }
                ways = Self.distinct(ways)
            }
            index += 1
        }
        return ways
    }

    private var isOver: Bool { judge.isFull || stepsLeft <= 0 }

    // MARK: Text

    private mutating func read(_ text: String, from start: Int, _ ways: inout [Way]) {
        let bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count, !isOver {
            if ways.count == 1, ways[0].count == 1, ways[0][0].isPlainText {
                // Most of a text is between tags.
                index = bytes[index...].firstIndex(of: HTMLByte.less) ?? bytes.count
                guard index < bytes.count else { return }
            }
            judge.offset = start + index
            read(bytes[index], &ways)
            index += 1
        }
    }

    private mutating func read(_ byte: UInt8, _ ways: inout [Way]) {
        var others: [Way] = []
        for way in ways.indices {
            var beside: Way = []
            for state in ways[way].indices {
                if let other = ways[way][state].read(byte, &judge) { beside.append(other) }
            }
            stepsLeft -= ways[way].count
            if ways[way].count > 1 { unite(&ways[way]) }
            if !beside.isEmpty { others.append(beside) }
        }
        if !others.isEmpty || ways.count > 1 { ways = Self.distinct(ways + others) }
        guard ways.count <= Self.maximumWays, stepsLeft > 0 else { return abandon() }
    }

    /// Checks that all ways through the sections still lead to the same place.
    private mutating func unite(_ way: inout Way) {
        way = Self.distinct(way)
        guard let first = way.first, way.count > 1 else { return }
        guard way.allSatisfy({ $0.agrees(with: first) }) else {
            judge.reject("unsafePlace", "a section decides where a tag, a quote or a name ends: put all of it into it")
            return way = [first]
        }
    }

    private mutating func abandon() {
        stepsLeft = 0
        judge.reject("notReadable", "the HTML is too ambiguous: close its elements, or use fewer sections")
    }

    private static func distinct<Element: Hashable>(_ elements: [Element]) -> [Element] {
        if elements.count == 1 { return elements }
        if elements.count == 2 { return elements[0] == elements[1] ? [elements[0]] : elements }
        var known: Set<Element> = []
        return elements.filter { known.insert($0).inserted }
    }

    // MARK: Tags of the template

    private mutating func take(_ tag: TemplateTag, _ ways: inout [Way]) {
        judge.offset = tag.start
        for way in ways.indices {
            for state in ways[way].indices {
                guard let place = ways[way][state].takeValue() else { continue }
                judge.reject(
                    "unsafePlace",
                    "{{\(tag.name.prefix(64))}} is \(place): a value is only safe between tags and in quotes"
                )
            }
        }
    }

    /// Reads a section both shown and left out.
    private mutating func pass(
        _ tag: TemplateTag, _ shown: [TemplateNode], else other: [TemplateNode], from way: Way
    ) -> Way {
        let ends = [walk(shown, [way]), walk(other, [way])]
        guard !isOver else { return way }
        judge.offset = tag.start
        guard ends.allSatisfy({ $0.count == 1 }), let first = ends[0][0].first else {
            reject(tag)
            return way
        }
        let states = Self.distinct(ends[0][0] + ends[1][0])
        guard states.allSatisfy({ $0.mayMeet(first) }) else {
            reject(tag)
            return way
        }
        guard states.count <= Self.maximumStates else {
            abandon()
            return way
        }
        return states
    }

    private mutating func reject(_ tag: TemplateTag) {
        judge.reject(
            "unsafePlace",
            "the section '\(tag.name.prefix(64))' opens or closes a tag, a quote, a name or an element's text: its "
                + "content must be complete by itself"
        )
    }
}
