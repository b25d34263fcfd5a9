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
        var digest = SHA256()
        for part in [client.canonical, String(timestamp.milliseconds), name.rawValue, session ?? "", attributes] {
            // With its length before it, no part can pass for the beginning of the next.
            digest.update(data: Data("\(part.utf8.count):\(part)".utf8))
        }
        let text = digest.finalize().prefix(16).map { String(format: "%02x", $0) }.joined()
        // 32 characters are within what an id may have.
        return try! EventID(text)
    }
}
