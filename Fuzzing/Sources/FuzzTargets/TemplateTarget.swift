import BelfryModel
import Foundation

@testable import BelfryRules

/// Templates: whatever a value is, it stays a value (SEC-4, SEC-7). The fields of an input: the purpose, the template,
/// the value.
enum TemplateTarget {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let purpose = [
            TextTemplate.Purpose.plain(isNeeded: false), .plain(isNeeded: true), .html, .url(.link), .url(.secure),
        ][
            input.choice(5)]
        let source = input.text()
        let value = input.text()
        var names: [String] = []
        let made = try? TextTemplate(source, purpose) { (name) throws(Refusal) in
            let variable = try TemplateVariable(name, schema: Fixtures.schema)
            if let known = names.firstIndex(of: variable.description) { return known }
            names.append(variable.description)
            return names.count - 1
        }
        try push(source)
        guard let template = made else { return }
        try expect(template.leastText.utf8.count <= source.utf8.count, "the least text is the writer's own")
        for value in Fixtures.values + [value] { try check(template, names.count, value) }
    }

    private static func check(_ template: TextTemplate, _ count: Int, _ value: String?) throws {
        let defaults = [String?](repeating: nil, count: count)
        func render(_ value: String?) -> String? {
            try? template.render([String?](repeating: value, count: count), defaults: defaults)
        }
        guard let text = render(value) else { return }
        switch template.purpose {
        case .plain: return
        case .html:
            // A section asks whether there is a value, which there is in both.
            guard let value, !value.isEmpty, value != "false", let plain = render("x") else { return }
            for delimiter in "<>\"'".utf8 {
                let (here, there) = (text.utf8.count { $0 == delimiter }, plain.utf8.count { $0 == delimiter })
                try expect(here == there, "a value brings a delimiter into HTML: \(text)")
            }
        case .url(let rule):
            try expect(rule.refusal(of: text) == nil, "an address that is rendered may be opened: \(text)")
            guard template.wholeVariable == nil, let value, !value.isEmpty, value != "false", let plain = render("x")
            else {
                return
            }
            for delimiter in "/?#&=:@".utf8 {
                let (here, there) = (text.utf8.count { $0 == delimiter }, plain.utf8.count { $0 == delimiter })
                try expect(here == there, "a value brings a delimiter into an address: \(text)")
            }
        }
    }

    /// The way that a campaign goes.
    private static func push(_ source: String) throws {
        let content = PushContent(
            title: source, body: source, action: NotificationAction(type: .openUrl, url: source),
            custom: ["a": .string(source)], defaults: [source: source]
        )
        guard let template = try? ContentTemplate(content, schema: Fixtures.schema) else { return }
        for value in Fixtures.values {
            let values = [String?](repeating: value, count: template.variables.count)
            guard let made = try? template.content(for: values) else { continue }
            try expect(!TextGap.isUsed(in: made.title), "no gap is left in what a recipient gets")
        }
        _ = template.shortest
    }
}
