import BelfryModel
import Foundation

@testable import BelfryPush

/// Names and ids of every kind, and push tokens.
enum NameTarget {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        try name("AttributeKey", text) { try AttributeKey($0).rawValue }
        try name("ContactKey", text) { try ContactKey($0).rawValue }
        try name("EventName", text) { try EventName($0).rawValue }
        try name("EventID", text) { try EventID($0).rawValue }
        try name("MessageCenterName", text) { try MessageCenterName($0).rawValue }
        try name("Tag", text) { try Tag($0).rawValue }
        try name("AppCode", text) { try AppCode($0).rawValue }
        try ids(text)
        try tokens(text)
        _ = NearestKey.find(text, in: ["firstName", "city", "caf\u{E9}", text])
        if let number = CampaignID(text) {
            try expect((1...CampaignID.maximum).contains(number.number), "a campaign's number has a bound: \(text)")
        }
        if let number = DecimalText.number(text) {
            try expect(AttributeValue.string(text).numberRead == number, "one text, one number: \(text)")
        }
        _ = text.showsNothing
    }

    /// An accepted name is accepted again unchanged, has a maximum length, and contains nothing that a store cannot
    /// hold.
    private static func name(_ type: String, _ text: String, _ parse: (String) throws -> String) throws {
        guard let taken = try? parse(text) else { return }
        guard let again = try? parse(taken) else { throw Finding("\(type) refuses what it has made: \(taken)") }
        try expect(again.utf8.elementsEqual(taken.utf8), "\(type) makes of its own something else: \(taken)")
        try expect(taken.utf8.count <= NamingRule.maximumBytes, "\(type) has a bound")
        try expect(!taken.utf8.isEmpty && !taken.utf8.contains(0), "\(type) is empty or has a null character")
    }

    private static func ids(_ text: String) throws {
        if let device = try? DeviceID(text) {
            try expect((1...DeviceID.maximumLength).contains(device.canonical.utf8.count), "a device id has a bound")
            try expect(device.rawValue.utf8.elementsEqual(text.utf8), "as it was spelled: \(text)")
            try expect((try? DeviceID(device.canonical)) == device, "in one spelling: \(text)")
            try expect(DeviceID(stored: text) == device, "and so when it is stored: \(text)")
            let upper = (try? DeviceID(text.uppercased())) ?? device
            try expect(device.isUUID == (upper == device) || text == text.uppercased(), "only a UUID has two: \(text)")
        }
        if let message = MessageID(text) {
            try expect(MessageID(message.text) == message, "a message id reads back as itself: \(text)")
        }
    }

    private static func tokens(_ text: String) throws {
        for provider in PushProvider.allCases {
            for environment in PushEnvironment.allCases {
                guard let token = try? PushToken(text, provider: provider, environment: environment) else { continue }
                try expect(token.value.utf8.count <= PushToken.maximumLength, "a token has a bound")
                try expect("\(token)".utf8.count < token.value.utf8.count + 40, "a token is shown shortened")
            }
        }
        guard let subscription = BrowserSubscription(text: text) else { return }
        let written = try subscription.text
        // Long runs of combining marks are divided when JSON is read, so the text may have become too long for a token.
        guard written.utf8.count <= PushToken.maximumLength else { return }
        try expect(try BrowserSubscription(text: written)?.text == written, "a subscription has one text: \(written)")
    }
}
