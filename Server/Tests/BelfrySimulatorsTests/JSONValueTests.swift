import Foundation
import Testing

@testable import BelfrySimulators

@Suite("JSON values of the simulators")
struct JSONValueTests {
    @Test("PUSH-2: strings are read with their escapes, and the rest unchanged")
    func values() throws {
        let text = #" {"a":"x\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud83dé","n":-1.5e3,"l":[true,false,null,{"k":""}]} "#
        let members = try #require(JSONValue.object(from: Array(text.utf8)))
        #expect(members["a"] == .string("x\"\\/\u{8}\u{C}\n\r\té😀\u{FFFD}é"))
        #expect(members["n"] == .number("-1.5e3"))
        let list = JSONValue.array([
            .bool(true), .bool(false), .null, .object([JSONMember(name: "k", value: .string(""))]),
        ])
        #expect(members["l"] == list)
    }

    @Test("PUSH-2: everything that Foundation reads is read the same, whatever the escapes")
    func sameAsFoundation() throws {
        var random = SimulatorRandom(seed: 5)
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 0..<12, using: &random)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(in: 0...0x1_F6FF, using: &random) >> UInt32.random(in: 0...12, using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let json = try JSONEncoder().encode([text: text])
            let members = JSONValue.object(from: Array(json))
            #expect(members == [JSONMember(name: text, value: .string(text))])
        }
    }

    @Test(
        "PUSH-2: a text that is not an object is refused",
        arguments: ["", "[]", "1", "{", #"{"a"}"#, #"{"a":1}x"#, #"{"a":[1,]}"#])
    func bad(_ text: String) {
        #expect(JSONValue.object(from: Array(text.utf8)) == nil)
    }

    @Test("PUSH-5: an id is found at the end of its path, through strings that hold objects")
    func path() throws {
        let text = #"{"belfry":"{\"sid\":\"m\"}","plain":{"sid":7},"no":[1]}"#
        let value = JSONValue.object(try #require(JSONValue.object(from: Array(text.utf8))))
        #expect(value.text(at: ["belfry", "sid"]) == "m")
        #expect(value.text(at: ["plain", "sid"]) == "7")
        #expect(value.text(at: ["no", "sid"]) == nil)
        #expect(value.text(at: ["none"]) == nil)
    }
}
