import BelfryModel
import BelfryWire
import Foundation

@testable import BelfryAPI

/// Request bodies of devices, except events. The first character of an input chooses the body.
enum DeviceBodyTarget {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let choice = input.choice(7)
        let body = input.bytes()
        guard (try? JSONReader.check(body)) != nil else { return }
        switch choice {
        case 0: _ = try decoded(ClientProperties.self, body)
        case 1: _ = try decoded(PushTokenRequest.self, body)
        case 2: _ = try decoded(ContactLinkRequest.self, body)
        case 3: _ = try decoded(ContactTokenRequest.self, body)
        case 4: _ = try decoded(BadgeRequest.self, body)
        case 6: try inline(body)
        default: _ = try decoded(MessageStateRequest.self, body)
        }
    }

    private static func inline(_ body: [UInt8]) throws {
        guard let inline = try? InlineBody(body) else { return }
        try expect(inline.viewIDs.count <= InlineBody.maximumViewIDs, "places have a bound")
        try expect(Set(inline.campaigns).count == inline.campaigns.count, "each campaign is named once")
    }
}

/// Decodes a body as a route does. A body that a plain decoder accepts must be accepted with the same result.
func decoded<Body: Decodable & Equatable>(_ type: Body.Type, _ bytes: [UInt8]) throws -> Body? {
    let plain = try? JSONDecoder().decode(type, from: Data(bytes))
    let body = try? JSONBody.decode(type, from: bytes)
    if let plain { try expect(body == plain, "a \(type) is refused or read otherwise than a decoder reads it") }
    return body
}
