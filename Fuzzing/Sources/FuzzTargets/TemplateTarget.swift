import BelfryModel
import Foundation

@testable import BelfryCampaigns
@testable import BelfryServerModel

/// Templates: a value stays a value, whatever it contains (SEC-4, SEC-7). The fields of an input: the purpose, the
/// template, the value.
enum TemplateTarget {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let purposes: [TextTemplate.Purpose] = [
            .plain(isNeeded: false), .plain(isNeeded: true), .html(.richContent), .url(.link), .url(.secure),
        ]
        let purpose = purposes[input.choice(purposes.count)]
        let source = input.text()
        let value = input.text()
        try push(source)
        guard let (template, variables) = template(source, purpose) else { return }
        try expect(template.leastText.utf8.count <= source.utf8.count, "the least text is the writer's own")
        for value in Fixtures.values + [value] { try check(template, variables, value) }
    }

    /// Makes a template as a campaign does. Returns nil when it is rejected.
    private static func template(_ source: String, _ purpose: TextTemplate.Purpose) -> (TextTemplate, variables: Int)? {
        guard let nodes = try? TemplateParser.parse(source, maximumBytes: purpose.maximumBytes) else { return nil }
        if let policy = purpose.htmlPolicy {
            guard ComposedHTMLCheck.errors(of: nodes, source: source, policy: policy).isEmpty else { return nil }
        }
        var names: [String] = []
        let template = try? TextTemplate(nodes, purpose) { (name) throws(ValueError) in
            let variable = try TemplateVariable(name, among: KnownAttributes(Fixtures.schema))
            if let known = names.firstIndex(of: variable.description) { return known }
            names.append(variable.description)
            return names.count - 1
        }
        return template.map { ($0, names.count) }
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
            // A section tests whether there is a value, which is true for both values.
            guard let value, !value.isEmpty, value != "false", let plain = render("x") else { return }
            for delimiter in "<>\"'".utf8 {
                let (here, there) = (text.utf8.count { $0 == delimiter }, plain.utf8.count { $0 == delimiter })
                try expect(here == there, "a value brings a delimiter into HTML: \(text)")
            }
        case .url(let rule):
            try expect(rule.error(of: text) == nil, "an address that is rendered may be opened: \(text)")
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

    /// Renders a push as a campaign does.
    private static func push(_ source: String) throws {
        let content = PushContent(
            title: source, body: source, action: NotificationAction(type: .openUrl, url: source),
            custom: ["a": .string(source)], defaults: [source: source]
        )
        guard let template = try? ContentTemplate(content, schema: Fixtures.schema) else { return }
        for value in Fixtures.values {
            let values = [String?](repeating: value, count: template.variables.count)
            guard let made = try? template.content(for: values) else { continue }
            try expect(!TextPlaceholder.isUsed(in: made.title), "no gap is left in what a recipient gets")
        }
        _ = template.shortest
    }
}
