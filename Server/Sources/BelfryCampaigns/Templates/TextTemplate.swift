import BelfryModel

/// One compiled text: its variables are numbers, so that a recipient costs no look-up by name.
struct TextTemplate: Hashable, Sendable {
    /// What a text is to be, which says how values are written into it.
    enum Purpose: Hashable, Sendable {
        /// Plain text; `isNeeded` when nothing but blanks would show nothing to the person.
        case plain(isNeeded: Bool)
        case html(HTMLPolicy)
        case url(LinkRule)

        var isAddress: Bool {
            if case .url = self { true } else { false }
        }

        /// Bytes of such a text with tags.
        var maximumBytes: Int {
            htmlPolicy == nil ? TemplateTagReader.maximumBytes : MessageCenterLimits.maximumRichHTMLBytes
        }

        /// Bytes of such a text with a recipient's values. Many tags, each with a long value, would make megabytes of a
        /// short text, for each recipient anew (SEC-8).
        var maximumRenderedBytes: Int {
            htmlPolicy == nil
                ? 4 * MessageCenterLimits.maximumMessageBytes : 2 * MessageCenterLimits.maximumRichHTMLBytes
        }

        var htmlPolicy: HTMLPolicy? {
            if case .html(let policy) = self { policy } else { nil }
        }
    }

    enum Part: Hashable, Sendable {
        case text(String)
        case variable(Int, TextEscape)
        indirect case section(Int, isInverted: Bool, [Part])
    }

    let purpose: Purpose
    private let parts: [Part]

    /// - Parameters:
    ///   - nodes: the text; of HTML, one that ``ComposedHTMLCheck`` has looked at.
    ///   - resolve: the number of the variable with this name, or why there is none.
    init(
        _ nodes: [TemplateNode], _ purpose: Purpose, resolve: (String) throws(ValueError) -> Int
    ) throws(ValueError) {
        self.purpose = purpose
        parts = try Self.parts(nodes, purpose, resolve)
        if case .url(let rule) = purpose, !isOneVariable { try checkAddress(rule) }
    }

    private static func parts(
        _ nodes: [TemplateNode], _ purpose: Purpose, _ resolve: (String) throws(ValueError) -> Int
    ) throws(ValueError) -> [Part] {
        var parts: [Part] = []
        for node in nodes {
            switch node {
            case .text(let text, _):
                parts.append(.text(text))
            case .variable(let tag):
                parts.append(.variable(try resolve(tag.name), try escape(of: tag, purpose)))
            case .section(let tag, let isInverted, let nodes):
                let index = try resolve(tag.name)
                parts.append(.section(index, isInverted: isInverted, try Self.parts(nodes, purpose, resolve)))
            }
        }
        return parts
    }

    private static func escape(of tag: TemplateTag, _ purpose: Purpose) throws(ValueError) -> TextEscape {
        switch (purpose, tag.kind) {
        case (.plain, _): return .plain
        case (.html, .variable(isRaw: false)): return .html
        case (.url, .variable(isRaw: false)): return .url
        case (.html, _), (.url, _):
            throw ValueError(
                code: "unescapedTag",
                message: "Use {{\(tag.name.prefix(64))}}. Unescaped values are only for plain text."
            )
        }
    }

    /// The text itself, when it is the same for everybody.
    var constant: String? {
        var text = ""
        for part in parts {
            guard case .text(let piece) = part else { return nil }
            text += piece
        }
        return text
    }

    /// Of an address like `{{link}}`, the number of its variable.
    var wholeVariable: Int? {
        guard isOneVariable, case .variable(let index, _)? = parts.first else { return nil }
        return index
    }

    private var isOneVariable: Bool {
        guard case .url = purpose, parts.count == 1, case .variable? = parts.first else { return false }
        return true
    }

    // MARK: Rendering

    /// - Parameters:
    ///   - values: what the recipient has, by the variables' numbers.
    ///   - defaults: what stands in for it.
    func render(_ values: [String?], defaults: [String?]) throws(RenderProblem) -> String {
        var text = ""
        if let index = wholeVariable {
            guard let value = Self.value(index, values) ?? defaults[index] else { throw .noValue(index) }
            text = value
        } else {
            try Self.append(parts, values, defaults, to: &text, limit: purpose.maximumRenderedBytes)
        }
        switch purpose {
        case .plain(isNeeded: true):
            if text.showsNothing { throw .blank }
        case .url(let rule):
            if let error = rule.error(of: text) { throw .badAddress(error, wholeVariable) }
        case .plain, .html: break
        }
        return text
    }

    private static func append(
        _ parts: [Part], _ values: [String?], _ defaults: [String?], to text: inout String, limit: Int
    ) throws(RenderProblem) {
        for part in parts {
            switch part {
            case .text(let piece):
                text += piece
            case .variable(let index, let escape):
                guard let value = value(index, values) ?? defaults[index] else { throw .noValue(index) }
                escape.append(value, to: &text)
            case .section(let index, let isInverted, let inner):
                let isPresent = value(index, values).map { $0 != "false" } ?? false
                if isPresent != isInverted { try append(inner, values, defaults, to: &text, limit: limit) }
            }
            guard text.utf8.count <= limit else { throw .tooLong(limit) }
        }
    }

    /// An empty text is none.
    private static func value(_ index: Int, _ values: [String?]) -> String? {
        values[index].flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: Checking

    /// The scheme of an address is the writer's, never a recipient's value, and what values cannot spoil is checked.
    private func checkAddress(_ rule: LinkRule) throws(ValueError) {
        if constant == nil {
            guard case .text(let front)? = parts.first, LinkRule.scheme(of: front) != nil else {
                throw ValueError(
                    code: "invalidURL",
                    message: "An address begins with its scheme (https://…/{{city}}) or is one variable ({{link}})."
                )
            }
        }
        for showsSections in [true, false] {
            if let error = rule.error(of: specimen(parts, showsSections)) { throw error }
        }
    }

    /// The text for a recipient whose every value is a letter, with the sections for those who have it or have not.
    private func specimen(_ parts: [Part], _ showsSections: Bool) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .variable: "x"
            case .section(_, let isInverted, let inner):
                showsSections != isInverted ? specimen(inner, showsSections) : ""
            }
        }.joined()
    }

    /// The shortest that it can become, in bytes of plain text: what is the writer's own outside all sections.
    var leastText: String {
        parts.map { part in
            if case .text(let text) = part { text } else { "" }
        }.joined()
    }
}

/// Why a text cannot be made for one recipient.
enum RenderProblem: Error, Hashable, Sendable {
    /// The variable with this number has neither a value nor a default.
    case noValue(Int)
    /// Nothing would be shown.
    case blank
    /// With the recipient's values it has more bytes than this.
    case tooLong(Int)
    /// The address is none, or not allowed; the number is that of the variable that it consists of.
    case badAddress(ValueError, Int?)
}
