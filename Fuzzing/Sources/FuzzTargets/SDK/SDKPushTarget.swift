import BelfryModel
import Foundation

@testable import Belfry

/// Pushes that a push service passes to the SDK, and a provisioning profile.
enum SDKPushTarget {
    static func run(_ bytes: [UInt8]) throws {
        if let push = ReceivedPush(json: Data(bytes)) { try check(push) }
        let text = String(decoding: bytes, as: UTF8.self)
        if let push = ReceivedPush(userInfo: ["belfry": text, "aps": ["alert": text]]) {
            try check(push)
            try expect(push.body == text, "the text of an alert is the body")
        }
        _ = ProvisioningProfile(Data(bytes))
    }

    private static func check(_ push: ReceivedPush) throws {
        let id = push.payload.sid
        try expect(!id.isEmpty && id.count <= ReceivedPush.maximumIDLength, "an id has a bound")
        _ = push.action(button: push.payload.buttons?.first?.id)
        _ = push.isSilent
    }
}
