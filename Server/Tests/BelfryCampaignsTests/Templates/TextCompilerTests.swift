import BelfryModel
import BelfryServerModel
import Testing

@testable import BelfryCampaigns

/// Texts that several variants share (CAMP-4, SEC-8).
struct TextCompilerTests {
    private static let schema: [String: AttributeType] = ["a": .string, "b": .string, "c": .string]

    @Test("CAMP-4: a text that two variants share uses each one's own numbers of its variables")
    func numbers() throws {
        let texts = TextCompiler(schema: Self.schema)
        let body = "{{b}} {{#c}}and {{a}}{{/c}}"
        let first = try ContentTemplate(PushContent(title: "{{a}}", body: body), texts: texts)
        let second = try ContentTemplate(PushContent(title: "{{c}}", body: body, defaults: ["b": "-"]), texts: texts)
        #expect(texts.count == 3)
        #expect(first.variables == [.attribute("a"), .attribute("b"), .attribute("c")])
        #expect(try first.render(["1", "2", "3"]) == ["1", "2 and 1"])
        #expect(second.variables == [.attribute("c"), .attribute("b"), .attribute("a")])
        #expect(try second.render(["1", nil, "3"]) == ["1", "- and 3"])
        // A default is the content's, and so is who lacks a value.
        do throws(RenderError) {
            _ = try first.render(["1", nil, "3"])
            Issue.record("it was rendered")
        } catch {
            #expect(error.field == "body" && error.variable == "b")
        }
    }

    @Test("CAMP-4: the default of a whole address is that of its content")
    func addresses() throws {
        let texts = TextCompiler(schema: Self.schema)
        func content(_ address: String) -> PushContent {
            PushContent(title: "a", body: "b", imageUrl: "{{a}}", defaults: ["a": address])
        }
        _ = try ContentTemplate(content("https://example.com/a.png"), texts: texts)
        for _ in 0..<2 {
            #expect(throws: TemplateErrors.self) {
                _ = try ContentTemplate(content("nowhere"), texts: texts)
            }
        }
        _ = try ContentTemplate(content("https://example.com/a.png"), texts: texts)
    }

    @Test("CAMP-4: two texts that are canonically equivalent stay different, byte by byte")
    func bytes() throws {
        let texts = TextCompiler(schema: Self.schema)
        for text in ["\u{E9}", "e\u{301}", "a\u{323}\u{307}", "a\u{307}\u{323}"] {
            let template = try ContentTemplate(PushContent(title: text, body: "{{a}} \(text)"), texts: texts)
            #expect(Array(template.content.title.utf8) == Array(text.utf8))
            #expect(try template.render(["x"]).map { Array($0.utf8) } == [Array("x \(text)".utf8)])
        }
        #expect(texts.count == 8)
    }

    @Test("SEC-8: of many undefined names, a limited number is compared with the app's attributes")
    func undefined() throws {
        let texts = TextCompiler(schema: ["city": .string])
        let most = KnownAttributes.maximumAdvised
        func advised(_ names: [String]) -> [Bool] {
            let pairs = names.enumerated().map { ("\(1_000 + $0.offset)", AttributeValue.string("{{\($0.element)}}")) }
            let content = PushContent(title: "a", body: "b", custom: Dictionary(pairs) { first, _ in first })
            do throws(TemplateErrors) {
                _ = try ContentTemplate(content, texts: texts)
                return []
            } catch {
                return error.errors.map { $0.error.message.hasSuffix("Did you mean 'city'?") }
            }
        }
        let names = (0..<(most + 10)).map { "cit\(String(UnicodeScalar(UInt8(33 + $0))))" }
        let found = advised(names)
        #expect(found.count > most && found.prefix(most).allSatisfy(\.self))
        #expect(!found.dropFirst(most).contains(true))
        // What was compiled once keeps its advice, and nothing more is compared.
        #expect(advised(["cit!", "cxty"]) == [true, false])
        #expect(try ContentTemplate(PushContent(title: "{{city}}", body: "b"), texts: texts).variables.count == 1)
    }
}
