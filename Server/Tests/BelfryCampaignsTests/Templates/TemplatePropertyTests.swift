import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

struct TemplatePropertyTests {
    @Test("CAMP-4: a text without tags renders as itself", arguments: 0..<UInt64(4))
    func identity(seed: UInt64) throws {
        var dice = TemplateDice(seed: seed)
        for _ in 0..<500 {
            let text = "." + dice.plainText()
            #expect(try rendered(text) == text)
        }
    }

    @Test("SEC-4: no value can add a tag: it is text as it is", arguments: 0..<UInt64(4))
    func values(seed: UInt64) throws {
        var dice = TemplateDice(seed: seed)
        for _ in 0..<500 {
            let (city, age) = (dice.value(), dice.value())
            #expect(try rendered("<{{city}}|{{age}}>", ["city": city, "age": age]) == "<\(city)|\(age)>")
            #expect(
                try rendered("{{#city}}[{{city}}]{{/city}}", ["city": city], defaults: ["city": age]) == "[\(city)]")
        }
    }

    @Test(
        "CAMP-4, SEC-4: in an address a value is one piece, and is decoded unchanged", arguments: 0..<UInt64(4)
    )
    func addresses(seed: UInt64) throws {
        var dice = TemplateDice(seed: seed)
        for _ in 0..<500 {
            let city = dice.value()
            let url = "https://example.com/{{city}}/x?q={{city}}&r=1"
            let content = PushContent(title: "a", body: "b", action: .init(type: .openUrl, url: url))
            let address = try #require(try rendered(content, ["city": city]).action?.url)
            let query = try #require(address.split(separator: "?").last)
            let piece = try #require(query.dropFirst(2).split(separator: "&").first)
            #expect(query.hasSuffix("&r=1") && query.split(separator: "&").count == 2)
            #expect(address.split(separator: "/").count == 4)
            #expect(String(piece).removingPercentEncoding == city)
        }
    }

    @Test(
        "CAMP-4: any text compiles or is refused with a place, and never fails otherwise",
        arguments: 0..<UInt64(4))
    func anything(seed: UInt64) throws {
        var dice = TemplateDice(seed: seed)
        let pieces = [
            "{{", "}}", "{{{", "}}}", "{{#city}}", "{{/city}}", "{{^city}}", "{{city}}", "{{!", "\n", " ", "é", "x",
            "{{&",
            "{{#vip}}", "{{/vip}}", "{{=", "{{>", "{", "}", "\r\n",
        ]
        var compiled = 0
        for _ in 0..<2_000 {
            let text = "." + (0..<dice.roll(8)).map { _ in dice.pick(pieces) }.joined()
            if let error = bodyError(text) {
                #expect(["invalidTemplate", "undefinedAttribute"].contains(error.code), "\(text): \(error)")
            } else {
                compiled += 1
                #expect(try rendered(text, ["city": "c", "vip": "v"]).hasPrefix("."))
            }
        }
        #expect(compiled > 200)
    }
}
