import BelfryModel
import Crypto
import Foundation

extension EventID {
    /// The id of an event that came without one (v3 clients, WIRE-6): the same event, sent again, gets the same id.
    ///
    /// - Parameter attributes: as JSON text with sorted keys.
    package static func derived(
        client: DeviceID, timestamp: Date, name: EventName, session: String?, attributes: String
    ) -> EventID {
        var text: [UInt8] = []
        text.reserveCapacity(attributes.utf8.count + 256)
        for part in [client.canonical, String(timestamp.milliseconds), name.rawValue, session ?? "", attributes] {
            // With its length before it, no part can pass for the beginning of the next.
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
        // 32 characters are within what an id may have.
        return try! EventID(String(decoding: id, as: UTF8.self))
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
