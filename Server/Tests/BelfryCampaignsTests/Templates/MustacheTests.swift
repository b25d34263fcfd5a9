import BelfryModel
import Testing

/// What the public specification of Mustache (github.com/mustache/spec) asks of variables, sections, inverted sections
/// and comments, for values that are texts.
struct MustacheTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let template: String
        let values: [String: String]
        let result: String

        init(_ template: String, _ values: [String: String], _ result: String) {
            self.template = template
            self.values = values
            self.result = result
        }

        var testDescription: String { template }
    }

    private static let variables: [Case] = [
        Case("Hello from {Mustache}!", "Hello from {Mustache}!"),
        Case("Hello, {{city}}!", ["city": "world"], "Hello, world!"),
        Case("{{city}}", ["city": "& \" < >"], "& \" < >"),
        Case("{{{city}}}", ["city": "& \" < >"], "& \" < >"),
        Case("{{&city}}", ["city": "& \" < >"], "& \" < >"),
        Case("\"{{age}} miles an hour!\"", ["age": "85"], "\"85 miles an hour!\""),
        Case("| {{city}} |", ["city": "---"], "| --- |"),
        Case("  {{city}}\n", ["city": "---"], "  ---\n"),
        Case("|{{ city }}|", ["city": "---"], "|---|"),
        Case("|{{{ city }}}|", ["city": "---"], "|---|"),
        Case("|{{& city }}|", ["city": "---"], "|---|"),
        Case("{{city}}{{age}}", ["city": "a", "age": "b"], "ab"),
        Case("{{first name}}", ["first name": "Anna"], "Anna"),
        Case("{{a.b}}", ["a.b": "dotted"], "dotted"),
        Case("}} {{city}} }}", ["city": "x"], "}} x }}"),
    ]

    private static let sections: [Case] = [
        Case("{{#vip}}This should be rendered.{{/vip}}", ["vip": "true"], "This should be rendered."),
        Case("-{{#vip}}This should not be rendered.{{/vip}}", ["vip": "false"], "-"),
        Case("-{{#city}}Null.{{/city}}", "-"),
        Case("-{{#city}}Empty.{{/city}}", ["city": ""], "-"),
        Case("{{#city}}Hi {{city}}.{{/city}}", ["city": "Joe"], "Hi Joe."),
        Case("{{#age}}{{age}}{{/age}}", ["age": "0"], "0"),
        Case(
            "{{#vip}}\n* first\n{{/vip}}\n* {{age}}\n{{#vip}}\n* third\n{{/vip}}\n", ["vip": "true", "age": "2"],
            "* first\n* 2\n* third\n"
        ),
        Case("| A {{#vip}}B {{#vip}}C{{/vip}} D{{/vip}} E |", ["vip": "true"], "| A B C D E |"),
        Case("| A {{#vip}}B {{#vip}}C{{/vip}} D{{/vip}} E |", ["vip": "false"], "| A  E |"),
        Case("{{#city}}{{#age}}{{city}}{{age}}{{/age}}{{/city}}", ["city": "a", "age": "1"], "a1"),
        Case(" | {{#vip}}\t|\t{{/vip}} | \n", ["vip": "true"], " | \t|\t | \n"),
        Case(" | {{#vip}} {{! Important }}\n {{/vip}} | \n", ["vip": "true"], " |  \n  | \n"),
        Case(" {{#vip}}YES{{/vip}}\n {{#vip}}GOOD{{/vip}}\n", ["vip": "true"], " YES\n GOOD\n"),
        Case("| This Is\n{{#vip}}\n|\n{{/vip}}\n| A Line\n", ["vip": "true"], "| This Is\n|\n| A Line\n"),
        Case("| This Is\n  {{#vip}}\n|\n  {{/vip}}\n| A Line\n", ["vip": "true"], "| This Is\n|\n| A Line\n"),
        Case("|\r\n{{#vip}}\r\n{{/vip}}\r\n|", ["vip": "true"], "|\r\n|"),
        Case("  {{#vip}}\n#{{/vip}}\n/", ["vip": "true"], "#\n/"),
        Case("#{{#vip}}\n/\n  {{/vip}}", ["vip": "true"], "#\n/\n"),
        Case("|{{# vip }}={{/ vip }}|", ["vip": "true"], "|=|"),
    ]

    private static let inverted: [Case] = [
        Case("{{^vip}}This should be rendered.{{/vip}}", ["vip": "false"], "This should be rendered."),
        Case("-{{^vip}}This should not be rendered.{{/vip}}", ["vip": "true"], "-"),
        Case("{{^city}}Null.{{/city}}", "Null."),
        Case("{{^city}}Empty.{{/city}}", ["city": ""], "Empty."),
        Case("-{{^city}}Hi {{city}}.{{/city}}", ["city": "Joe"], "-"),
        Case("{{^vip}}\n* first\n{{/vip}}\n* 2\n{{^vip}}\n* third\n{{/vip}}\n", "* first\n* 2\n* third\n"),
        Case("| A {{^vip}}B {{^vip}}C{{/vip}} D{{/vip}} E |", "| A B C D E |"),
        Case("| A {{^vip}}B {{^vip}}C{{/vip}} D{{/vip}} E |", ["vip": "true"], "| A  E |"),
        Case(" {{^vip}}NO{{/vip}}\n {{^vip}}WAY{{/vip}}\n", " NO\n WAY\n"),
        Case("| This Is\n{{^vip}}\n|\n{{/vip}}\n| A Line\n", "| This Is\n|\n| A Line\n"),
        Case("Hi {{#city}}{{city}}{{/city}}{{^city}}stranger{{/city}}", "Hi stranger"),
        Case("Hi {{#city}}{{city}}{{/city}}{{^city}}stranger{{/city}}", ["city": "Paris"], "Hi Paris"),
    ]

    private static let comments: [Case] = [
        Case("12345{{! Comment Block! }}67890", "1234567890"),
        Case("12345{{!\n  This is a\n  multi-line comment...\n}}67890\n", "1234567890\n"),
        Case("Begin.\n{{! Comment Block! }}\nEnd.\n", "Begin.\nEnd.\n"),
        Case("Begin.\n  {{! Indented Comment Block! }}\nEnd.\n", "Begin.\nEnd.\n"),
        Case("|\r\n{{! Standalone Comment }}\r\n|", "|\r\n|"),
        Case("  {{! I'm Still Standalone }}\n!", "!"),
        Case("!\n  {{! I'm Still Standalone }}", "!\n"),
        Case("Begin.\n{{!\nSomething's going on here...\n}}\nEnd.\n", "Begin.\nEnd.\n"),
        Case("Begin.\n  {{!\n    Something's going on here...\n  }}\nEnd.\n", "Begin.\nEnd.\n"),
        Case("  12 {{! 34 }}\n", "  12 \n"),
        Case("12345 {{! Comment Block! }} 67890", "12345  67890"),
    ]

    @Test("CAMP-4: the cases of the Mustache specification", arguments: variables + sections + inverted + comments)
    private func specification(_ mustache: Case) throws {
        #expect(try rendered(mustache.template, mustache.values) == mustache.result)
    }
}

extension MustacheTests.Case {
    init(_ template: String, _ result: String) {
        self.init(template, [:], result)
    }
}
