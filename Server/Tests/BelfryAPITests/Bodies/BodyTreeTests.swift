import BelfryModel
import BelfryServerModel
import Foundation
import Synchronization
import Testing

@testable import BelfryAPI

@Suite("A body as a tree")
struct BodyTreeTests {
    private struct Pair: Decodable, Equatable {
        var name: String?
        var number: Double?
        var map: [String: String]?
    }

    private static func error(of text: String, by keys: KnownKeys) -> APIError? {
        do {
            try keys.check(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("SEC-6, ADM-3: of a repeated key the checked value is the decoded one")
    func twice() throws {
        let hidden = #"{"audience":{"event":"buy","limit":1},"audience":{"everyone":true}}"#
        #expect(Self.error(of: hidden, by: KnownKeys(of: AudienceCountRequest.self))?.target == "audience.limit")
        let unread = #"{"audience":{"everyone":true},"audience":{"event":"buy","limit":1}}"#
        #expect(Self.error(of: unread, by: KnownKeys(of: AudienceCountRequest.self)) == nil)
        let read = try JSONBody.decode(AudienceCountRequest.self, from: Array(unread.utf8))
        #expect(read.audience == .everyone)
        // This also holds if the decoder needs a second reading, because of a null in a map.
        let twice = #"{"name":"first","map":{"a":null,"b":"1"},"name":"second","map":{"b":"2"}}"#
        #expect(try JSONBody.decode(Pair.self, from: Array(twice.utf8)) == Pair(name: "first", map: ["b": "1"]))
        let composed = #"{"map":{"\u00e9":"1","e\u0301":"2"}}"#
        #expect(try JSONBody.decode(Pair.self, from: Array(composed.utf8)).map == ["\u{e9}": "1"])
    }

    @Test("SEC-6, ADM-3: half of a surrogate pair hides no unknown key")
    func surrogates() {
        for text in [#"{"audience":{"everyone":true},"nope":"\ud800"}"#, #"{"audience":{"everyone":true},"\ud800":1}"#]
        {
            #expect(
                Self.error(of: text, by: KnownKeys(of: AudienceCountRequest.self))?.status == .badRequest, "\(text)")
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
        #expect(throws: JSONError.self) { try BodyTree(Array("\(text) 1".utf8)) }
    }

    @Test("WIRE-23: an error about invalid JSON, or a byte order mark, says where it is")
    func malformed() throws {
        for (text, offset) in [("\u{feff}{}", 0), (#"{"name":tru}"#, 8), ("", 0), ("{}x", 2)] {
            let error = #expect(throws: APIError.self) { try JSONBody.decode(Pair.self, from: Array(text.utf8)) }
            #expect(error?.message.contains("at byte \(offset),") == true, "\(text.debugDescription)")
        }
    }

    @Test("ADM-3, SEC-2: any number of unreadable dates is reported by one decoding, after everything else")
    func dates() throws {
        struct Counted: Decodable {
            static let decodings = Mutex(0)
            init(from decoder: any Decoder) { Self.decodings.withLock { $0 += 1 } }
        }
        struct Inner: Decodable {
            @ZonedDate var at: Date?
            @ZonedDate var until: Date?
        }
        struct Dates: Decodable {
            let counted: Counted
            @ZonedDate var at: Date?
            let first: Inner
            let second: Inner
            let whole: Int
        }
        let zone = DateZone(named: "Europe/Paris")
        let inner = #"{"at":"soon","until":"2026-02-30"}"#
        func error(whole: String) -> APIError? {
            let body = #"{"counted":1,"at":"no","first":\#(inner),"second":\#(inner),"whole":\#(whole)}"#
            return #expect(throws: APIError.self) {
                try JSONBody.decode(Dates.self, from: Array(body.utf8), datesIn: zone)
            }
        }
        let dates = try #require(error(whole: "1"))
        #expect(Counted.decodings.withLock { $0 } == 1)
        #expect(
            [dates.target] + (dates.details ?? []).map(\.target)
                == ["at", "first.at", "first.until", "second.at", "second.until"])
        #expect(dates.status == .badRequest && dates.code == "invalidBody")
        #expect(
            dates.message
                == "at: expected a date such as 2026-12-01T09:00:00Z, or 2026-12-01T09:00:00 in Europe/Paris")
        let other = error(whole: #""1""#)
        #expect(other?.target == "whole" && other?.details == nil)
    }

    @Test("ADM-3: a number that does not fit its field is reported")
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
