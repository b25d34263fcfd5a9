import BelfryModel
import BelfryWire
import Foundation

@testable import BelfryAPI
@testable import BelfryServices
@testable import BelfryStore

/// Uploads of events: a stored event can be read again, and a batch is read completely or not at all.
enum EventTarget {
    static func run(_ bytes: [UInt8]) throws {
        guard let batch = try? IncomingEventBatch(bytes, client: Fixtures.device) else { return }
        try expect((try? JSONReader.check(bytes)) != nil, "a batch that is read is JSON")
        for event in batch.events { try check(event) }
        for version in [EventVersion.v3, .v4] {
            guard let answer = try batch.answer(to: version) else { continue }
            try expect((try? JSONReader.check(answer)) != nil, "an answer is JSON")
        }
        try agreement(bytes, batch)
    }

    private static func check(_ event: Event) throws {
        try expect(event.attributes.utf8.count <= EventLimits.maximumBytes, "attributes have a bound")
        try expect((try? JSONReader.check(Array(event.attributes.utf8))) != nil, "stored attributes are JSON")
        let decoded = try? JSONText.decode([String: AttributeValue].self, event.attributes)
        try expect(decoded != nil, "stored attributes can be read: \(event.attributes)")
        try expect((try? StoredAttributes.read(event.attributes)) == decoded, "in both ways: \(event.attributes)")
        try expect(!event.name.rawValue.utf8.contains(0), "a name has no null character")
    }

    /// A batch that a plain decoder accepts has as many elements as the server has judged.
    private static func agreement(_ bytes: [UInt8], _ batch: IncomingEventBatch) throws {
        struct Element: Decodable {
            let id, type, name, timestamp, sessionId, contact: String?
            let attributes: [String: AttributeValue]?
        }
        struct Body: Decodable { let events: [Element] }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(bytes)) else { return }
        // With two members named `events`, a decoder may use the other one.
        let names = String(decoding: bytes, as: UTF8.self).components(separatedBy: "events").count - 1
        guard names == 1, !bytes.contains(UInt8(ascii: "\\")) else { return }
        try expect(body.events.count == batch.events.count + batch.rejected.count, "each element is judged")
    }
}
