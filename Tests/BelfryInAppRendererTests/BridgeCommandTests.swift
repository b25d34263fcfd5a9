import BelfryInAppRenderer
import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct BridgeCommandTests {
    @Test(
        "IAM-12: every valid command of a page is read",
        arguments: [
            (#"{"nonce":"n","command":"loaded"}"#, InAppBridgeCommand.loaded),
            (#"{"nonce":"n","command":"resized","height":88.5}"#, .resized(height: 88.5)),
            (#"{"nonce":"n","command":"close","how":"swipe"}"#, .close(.swipe)),
            (#"{"nonce":"n","command":"click","id":"shop"}"#, .click(buttonID: "shop")),
            (#"{"nonce":"n","command":"click"}"#, .click(buttonID: nil)),
            (#"{"nonce":"n","command":"event","name":" rate "}"#, .event(name: "rate", attributes: [:])),
            (
                #"{"nonce":"n","command":"event","name":"rate","attributes":{"stars":5,"of":"app","again":true}}"#,
                .event(name: "rate", attributes: ["stars": 5, "of": "app", "again": true])
            ),
            (
                #"{"nonce":"n","command":"openLink","url":"HTTPS://example.com/"}"#,
                .openLink(url: "HTTPS://example.com/")
            ),
            (#"{"nonce":"n","command":"pushSettings","id":7}"#, .pushSettings),
        ]
    )
    func read(text: String, command: InAppBridgeCommand) throws {
        #expect(try InAppBridgeCommand(body: text, nonce: "n") == command)
        let fields = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(try InAppBridgeCommand(body: fields, nonce: "n") == command)
    }

    @Test(
        "IAM-12: invalid commands are refused, and the error says why",
        arguments: [
            ("", InAppBridgeError.unreadable), ("[]", .unreadable), ("{", .unreadable),
            (#"{"nonce":1,"command":"loaded"}"#, .unreadable),
            (#"{"command":"loaded"}"#, .wrongNonce), (#"{"nonce":"","command":"loaded"}"#, .wrongNonce),
            (#"{"nonce":"m","command":"loaded"}"#, .wrongNonce),
            (#"{"nonce":"n"}"#, .unknownCommand), (#"{"nonce":"n","command":"eval"}"#, .unknownCommand),
            (#"{"nonce":"n","command":"resized"}"#, .invalidField("height")),
            (#"{"nonce":"n","command":"resized","height":-1}"#, .invalidField("height")),
            (#"{"nonce":"n","command":"resized","height":1e9}"#, .invalidField("height")),
            (#"{"nonce":"n","command":"resized","height":"9"}"#, .invalidField("height")),
            (#"{"nonce":"n","command":"close"}"#, .invalidField("how")),
            (#"{"nonce":"n","command":"close","how":"timeout"}"#, .invalidField("how")),
            (#"{"nonce":"n","command":"click","id":""}"#, .invalidField("id")),
            (#"{"nonce":"n","command":"click","id":{"a":1}}"#, .invalidField("id")),
            (#"{"nonce":"n","command":"event"}"#, .invalidField("name")),
            (#"{"nonce":"n","command":"event","name":"  "}"#, .invalidField("name")),
            (#"{"nonce":"n","command":"event","name":"a","attributes":[1]}"#, .invalidField("attributes")),
            (#"{"nonce":"n","command":"event","name":"a","attributes":{"b":[1]}}"#, .invalidField("attributes")),
            (#"{"nonce":"n","command":"openLink"}"#, .invalidField("url")),
            (#"{"nonce":"n","command":"openLink","url":"javascript:alert(1)"}"#, .linkRefused),
            (#"{"nonce":"n","command":"openLink","url":"shop://offer"}"#, .linkRefused),
        ]
    )
    func rejected(text: String, fault: InAppBridgeError) {
        #expect(throws: fault) { try InAppBridgeCommand(body: text, nonce: "n") }
    }

    @Test("IAM-12: a page without a nonce sends nothing, not even to an app without one")
    func emptyNonce() {
        #expect(throws: InAppBridgeError.wrongNonce) {
            try InAppBridgeCommand(body: #"{"nonce":"","command":"loaded"}"#, nonce: "")
        }
        #expect(throws: InAppBridgeError.unreadable) { try InAppBridgeCommand(body: 7, nonce: "n") }
    }

    @Test("IAM-12: the size of a command is limited, and so are ids and attributes")
    func limits() throws {
        let long = String(repeating: "a", count: InAppBridgeCommand.maximumBytes)
        #expect(throws: InAppBridgeError.unreadable) {
            try InAppBridgeCommand(body: #"{"nonce":"n","command":"loaded","x":"\#(long)"}"#, nonce: "n")
        }
        func click(_ length: Int) -> String {
            #"{"nonce":"n","command":"click","id":"\#(String(repeating: "a", count: length))"}"#
        }
        let most = InAppLimits.maximumButtonIDLength
        #expect(try InAppBridgeCommand(body: click(most), nonce: "n") != .click(buttonID: nil))
        #expect(throws: InAppBridgeError.invalidField("id")) {
            try InAppBridgeCommand(body: click(most + 1), nonce: "n")
        }
        func event(_ count: Int) -> [String: Any] {
            let attributes = Dictionary(uniqueKeysWithValues: (0..<count).map { ("a\($0)", $0) })
            return ["nonce": "n", "command": "event", "name": "e", "attributes": attributes]
        }
        _ = try InAppBridgeCommand(body: event(EventLimits.maximumAttributes), nonce: "n")
        #expect(throws: InAppBridgeError.invalidField("attributes")) {
            try InAppBridgeCommand(body: event(EventLimits.maximumAttributes + 1), nonce: "n")
        }
    }

    @Test("IAM-12, SEC-6: a command whose parts are the same ones again and again is not written out")
    func endless() {
        // Written out, it has 268,435,456 numbers.
        var parts: Any = [0]
        for _ in 0..<28 { parts = [parts, parts] }
        let fields: [String: Any] = ["nonce": "n", "command": "loaded", "x": parts]
        #expect(throws: InAppBridgeError.unreadable) { try InAppBridgeCommand(body: fields, nonce: "n") }
    }

    @Test("IAM-12: whatever bytes a page sends, only links of allowed schemes are opened", arguments: 0..<20)
    func anyBytes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "java", "script", ":", "https", "//", "%0a", "\t", " ", "data", "file", "a", "\\u0000", "é", "@", "shop",
            "#",
        ]
        for _ in 0..<200 {
            let url = (0..<Int.random(in: 1...6, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let text = #"{"nonce":"n","command":"openLink","url":"\#(url)"}"#
            let command = try? InAppBridgeCommand(body: text, nonce: "n", linkSchemes: ["https", "data", "javascript"])
            guard case .openLink(let opened)? = command else { continue }
            #expect(opened.hasPrefix("https:"))
        }
    }
}
