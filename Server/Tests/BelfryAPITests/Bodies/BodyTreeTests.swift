import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import BelfryAPI

@Suite("A body as a tree")
struct BodyTreeTests {
    private struct Pair: Decodable, Equatable {
        var name: String?
        var number: Double?
        var map: [String: String]?
    }

    private static func refusal(of text: String, by keys: KnownKeys) -> APIError? {
        do {
            try keys.check(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("SEC-6, ADM-3: of a key that stands twice what is checked is what is decoded")
    func twice() throws {
        let hidden = #"{"audience":{"event":"buy","limit":1},"audience":{"everyone":true}}"#
        #expect(Self.refusal(of: hidden, by: .audience)?.target == "audience.limit")
        let unread = #"{"audience":{"everyone":true},"audience":{"event":"buy","limit":1}}"#
        #expect(Self.refusal(of: unread, by: .audience) == nil)
        let read = try JSONBody.decode(AudienceCountRequest.self, from: Array(unread.utf8))
        #expect(read.audience == .everyone)
        // The same holds when the decoder needs a second reading, for a null inside of a map.
        let twice = #"{"name":"first","map":{"a":null,"b":"1"},"name":"second","map":{"b":"2"}}"#
        #expect(try JSONBody.decode(Pair.self, from: Array(twice.utf8)) == Pair(name: "first", map: ["b": "1"]))
        let composed = #"{"map":{"\u00e9":"1","e\u0301":"2"}}"#
        #expect(try JSONBody.decode(Pair.self, from: Array(composed.utf8)).map == ["\u{e9}": "1"])
    }

    @Test("SEC-6, ADM-3: half of a surrogate pair hides no unknown key")
    func surrogates() {
        for text in [#"{"audience":{"everyone":true},"nope":"\ud800"}"#, #"{"audience":{"everyone":true},"\ud800":1}"#]
        {
            #expect(Self.refusal(of: text, by: .audience)?.status == .badRequest, "\(text)")
        }
    }

    @Test(
        "SEC-6: a tree is written as it was read",
        arguments: [
            "{}", "[]", "null", "true", "-0.5e1", "123456789012345678901234567890", #""a\"\u0000é😀""#,
            #"[1,[],{"a":[null,false]}]"#,
        ])
    func written(text: String) throws {
        let tree = try BodyTree(Array(text.utf8))
        #expect(try BodyTree(tree.bytes) == tree)
        try JSONReader.check(tree.bytes)
        #expect(throws: JSONFault.self) { try BodyTree(Array("\(text) 1".utf8)) }
    }

    @Test("WIRE-23: a body that is no JSON, or begins with a byte order mark, says where")
    func malformed() throws {
        for (text, offset) in [("\u{feff}{}", 0), (#"{"name":tru}"#, 8), ("", 0), ("{}x", 2)] {
            let error = #expect(throws: APIError.self) { try JSONBody.decode(Pair.self, from: Array(text.utf8)) }
            #expect(error?.message.contains("at byte \(offset),") == true, "\(text.debugDescription)")
        }
    }

    @Test("ADM-3: the number that does not fit its field is named")
    func numbers() throws {
        struct Whole: Decodable { var inner: [String: Int] }
        for number in ["1.5", "1e300", "9223372036854775808"] {
            let error = #expect(throws: APIError.self) {
                try JSONBody.decode(Whole.self, from: Array(#"{"inner":{"a":1,"b":\#(number)}}"#.utf8))
            }
            #expect(error?.target == "inner.b", "\(number)")
        }
    }
}
