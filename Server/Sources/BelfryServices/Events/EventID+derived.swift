import BelfryModel
import Crypto
import Foundation

extension EventID {
    /// The id of an event that came without one (v3 clients, WIRE-6). The same event, sent again, gets the same id.
    ///
    /// - Parameter attributes: JSON text with sorted keys.
    package static func derived(
        client: DeviceID, timestamp: Date, name: EventName, session: String?, attributes: String
    ) -> EventID {
        var text: [UInt8] = []
        text.reserveCapacity(attributes.utf8.count + 256)
        for part in [client.canonical, String(timestamp.milliseconds), name.rawValue, session ?? "", attributes] {
            // Each part follows its length, so that no part can be mistaken for the beginning of the next.
            text.append(contentsOf: String(part.utf8.count).utf8)
            text.append(UInt8(ascii: ":"))
            text.append(contentsOf: part.utf8)
        }
        var id: [UInt8] = []
        id.reserveCapacity(32)
        for byte in SHA256.hash(data: text).prefix(16) {
            id.append(hexadecimal[Int(byte >> 4)])
            id.append(hexadecimal[Int(byte & 0x0f)])
        }
        // An id may have 32 characters, so it cannot be rejected.
        return try! EventID(String(decoding: id, as: UTF8.self))
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
