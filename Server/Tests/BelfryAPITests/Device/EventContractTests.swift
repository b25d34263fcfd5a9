import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry
@testable import BelfryAPI

@Suite("An event from the SDK to the server")
struct EventContractTests {
    @Test("EVT-1, WIRE-6: the server reads the very event that the SDK has recorded, whatever its texts contain")
    func same() throws {
        // Longer runs of combining marks are broken up (SEC-7).
        let texts = HostileText.storable.filter { StreamSafeText.isSafe($0) }
        #expect(texts.count > 1_000)
        let recorded = try texts.enumerated().map { index, text in
            let attributes: [String: AttributeValue] = [
                "text": .string(text), "key \(text)": true, "whole": 42, "part": 0.1, "large": .number(1e300),
                "date": .date(Date(milliseconds: Int64(index))),
            ]
            return Event(
                id: EventID(UUID()), kind: index.isMultiple(of: 2) ? .custom : .internal,
                name: try EventName("event \(index)"), timestamp: Date(milliseconds: 1_767_571_200_000 + Int64(index)),
                attributes: index.isMultiple(of: 7) ? "{}" : try EventBody.attributes(attributes),
                sessionID: index.isMultiple(of: 3) ? nil : "session \(index)"
            )
        }
        let bodies = try recorded.map { String(decoding: try EventBody.json($0), as: UTF8.self) }
        let upload = Array(#"{"dnd":true,"events":[\#(bodies.joined(separator: ","))]}"#.utf8)
        let batch = try IncomingEventBatch(upload, client: DeviceID(UUID()))
        #expect(batch.rejected == [])
        #expect(batch.events == recorded)
    }
}
