import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryTestSupport

/// Random content for template tests: the same seed gives the same texts on every machine.
struct TemplateDice: RandomNumberGenerator {
    private var numbers: SeededGenerator

    init(seed: UInt64) {
        numbers = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 {
        numbers.next()
    }

    mutating func roll(_ sides: Int) -> Int {
        Int.random(in: 0..<sides, using: &self)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[roll(elements.count)]
    }

    /// Texts with all that a template, HTML, JSON or a URL could trip over.
    mutating func value() -> String {
        let pieces = [
            "{{", "}}", "{", "}", "{{city}}", "{{/city}}", "{{{x}}}", "<b>", "&amp;", "&", "'", "\"", "\\", "%41", "%",
            "é", "e\u{301}", "👩‍👩‍👧", "\u{200F}", "\n", "\r\n", "\t", " ", "/", "?", "#", "a", "Z", "0", "~", "javascript:",
            "../", "\u{0}", "日本",
        ]
        return (0..<(1 + roll(6))).map { _ in pick(pieces) }.joined()
    }

    /// A text without two opening braces in a row.
    mutating func plainText() -> String {
        value().replacing("{", with: "[")
    }
}

/// The variables that the tests' templates may use.
let templateSchema: [String: AttributeType] = [
    "city": .string, "first name": .string, "age": .number, "vip": .boolean, "link": .string, "a.b": .string,
    "device.locale": .string,
]

/// The text that a body becomes for somebody with these values, by the names of the variables.
func rendered(
    _ body: String, _ values: [String: String] = [:], defaults: [String: String] = [:],
    schema: [String: AttributeType] = templateSchema
) throws -> String {
    try rendered(PushContent(title: "-", body: body, defaults: defaults), values, schema: schema).body
}

func rendered(
    _ content: PushContent, _ values: [String: String], schema: [String: AttributeType] = templateSchema
) throws -> PushContent {
    let template = try ContentTemplate(content, schema: schema)
    return try template.content(for: template.variables.map { values[$0.description] })
}

/// The fields and codes of the errors in a content.
func templateErrors(_ content: PushContent, schema: [String: AttributeType] = templateSchema) -> [String] {
    do throws(TemplateErrors) {
        _ = try ContentTemplate(content, schema: schema)
        return []
    } catch {
        return error.errors.map { "\($0.field) \($0.error.code)" }
    }
}

/// The error of a body that is not a template.
func bodyError(_ body: String) -> ValueError? {
    do throws(TemplateErrors) {
        _ = try ContentTemplate(PushContent(title: "-", body: body), schema: templateSchema)
        return nil
    } catch {
        return error.errors.first?.error
    }
}
