import Mustache
import Testing

@testable import BelfryConsole

@Suite("What templates find in a model")
struct ReflectedModelTests {
    private struct Part: Sendable, CustomStringConvertible {
        let name: String
        let note: String?
        var description: String { "part \(name)" }
    }

    private struct Model: Sendable {
        let title = "T <1>"
        let note = "outer"
        let count = 3
        let isOn = true
        let isOff = false
        let none: Part? = nil
        let some: Part? = Part(name: "a", note: nil)
        let parts = [Part(name: "b", note: "n"), Part(name: "c", note: nil)]
        let words = ["x", "y"]
        let empty: [Part] = []
        let choice = UInt8(7)
        let chip: StatusChip? = StatusChip(word: "Draft", tone: "quiet")
        let noChip: StatusChip? = nil
        let chips = [StatusChip(word: "Active", tone: "good")]
    }

    @Test(
        "CON-1: a model that is reflected once shows what one shows that is reflected for each tag",
        arguments: [
            "{{title}} {{{title}}} {{count}} {{choice}}",
            "{{#isOn}}on{{/isOn}}{{#isOff}}off{{/isOff}}{{^isOff}}not{{/isOff}}",
            "{{#none}}{{name}}{{/none}}{{^none}}nobody{{/none}}",
            "{{#some}}{{name}} {{note}}{{/some}} {{some.name}} {{some}}",
            "{{#parts}}{{name}}{{note}}{{title}},{{/parts}}", "{{#words}}{{.}}{{/words}}", "{{#parts}}{{.}}{{/parts}}",
            "{{#empty}}x{{/empty}}{{^empty}}none{{/empty}}",
            "{{#chip}}{{word}} {{title}}{{/chip}}{{chip.tone}}{{#noChip}}x{{/noChip}}{{^noChip}}none{{/noChip}}",
            "{{#chips}}{{tone}}{{count}}{{/chips}}", "{{missing}}{{#missing}}x{{/missing}}{{^missing}}none{{/missing}}",
        ]
    )
    func same(_ source: String) throws {
        let template = try MustacheTemplate(string: source)
        let text = template.render(Model())
        #expect(template.render(ReflectedModel.of(Model())) == text)
        #expect(!text.isEmpty)
    }
}
