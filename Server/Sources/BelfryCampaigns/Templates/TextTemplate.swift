import BelfryModel

/// One compiled text. Its variables are numbers, so that rendering needs no lookup by name.
struct TextTemplate: Hashable, Sendable {
    /// The purpose of a text, which decides how values are escaped.
    enum Purpose: Hashable, Sendable {
        /// Plain text. `isNeeded`: it must not be blank, because the person would see nothing.
        case plain(isNeeded: Bool)
        case html(HTMLPolicy)
        case url(LinkRule)

        var isAddress: Bool {
            if case .url = self { true } else { false }
        }

        /// The most bytes of such a text with tags.
        var maximumBytes: Int {
            htmlPolicy == nil ? TemplateTagReader.maximumBytes : MessageCenterLimits.maximumRichHTMLBytes
        }

        /// The most bytes of such a text with a recipient's values. Many tags with long values would make megabytes of
        /// a short text, for each recipient (SEC-8).
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
    ///   - nodes: the parsed text. HTML must have passed ``ComposedHTMLCheck``.
    ///   - resolve: the number of the variable with this name. Throws if there is none.
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

    /// The text, if it is the same for every recipient.
    var constant: String? {
        var text = ""
        for part in parts {
            guard case .text(let piece) = part else { return nil }
            text += piece
        }
        return text
    }

    /// The number of the variable, if the text is an address like `{{link}}`.
    var wholeVariable: Int? {
        guard isOneVariable, case .variable(let index, _)? = parts.first else { return nil }
        return index
    }

    private var isOneVariable: Bool {
        guard case .url = purpose, parts.count == 1, case .variable? = parts.first else { return false }
        return true
    }

    // MARK: Rendering

    /// Renders the text for one recipient.
    ///
    /// - Parameters:
    ///   - values: the recipient's values, by the variables' numbers.
    ///   - defaults: the default values, by the same numbers.
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

    /// The value of a variable. An empty text counts as no value.
    private static func value(_ index: Int, _ values: [String?]) -> String? {
        values[index].flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: Checking

    /// Checks an address. Its scheme must be part of the template, never a recipient's value. Of the rest it checks
    /// what values cannot change.
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

    /// The text for a recipient whose every value is a letter, either with all sections or with all inverted sections.
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

    /// The shortest text that it can render, for plain text: the literal parts outside all sections.
    var leastText: String {
        parts.map { part in
            if case .text(let text) = part { text } else { "" }
        }.joined()
    }
}

/// Why a text cannot be rendered for one recipient.
enum RenderProblem: Error, Hashable, Sendable {
    /// The variable with this number has neither a value nor a default.
    case noValue(Int)
    /// The rendered text is blank.
    case blank
    /// The rendered text has more bytes than this.
    case tooLong(Int)
    /// The rendered address is invalid or not allowed. The number is that of the variable that is the whole address.
    case badAddress(ValueError, Int?)
}
