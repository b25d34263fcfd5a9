import BelfryInAppRenderer
import BelfryModel
import Foundation

/// Messages from an in-app message's page to the app, which does not trust them (IAM-12).
enum BridgeTarget {
    private static let nonce = "n"

    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        if let command = try? InAppBridgeCommand(body: text, nonce: nonce) { try check(command) }
        let forged = try? InAppBridgeCommand(body: text, nonce: "another")
        if forged != nil { try expect(text.contains("another"), "a command without the nonce: \(text)") }
        if let fields = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            let command = try? InAppBridgeCommand(body: fields, nonce: nonce)
        {
            try check(command)
        }
    }

    private static func check(_ command: InAppBridgeCommand) throws {
        switch command {
        case .resized(let height):
            try expect((0...InAppBridgeCommand.maximumHeight).contains(height), "a height has a bound: \(height)")
        case .click(let id):
            try expect((id?.utf8.count ?? 0) <= NamingRule.maximumBytes, "an id has a bound")
        case .event(let name, let attributes):
            try expect((try? EventName(name)) != nil, "an event has a name: \(name)")
            try expect(attributes.count <= EventLimits.maximumAttributes, "attributes have a bound")
        case .openLink(let url):
            try expect(InAppLinks.permits(url, schemes: InAppLinks.standardSchemes), "a link is permitted: \(url)")
        case .loaded, .close, .pushSettings: break
        }
    }
}
