import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

struct EventBodyTests {
    @Test("WIRE-6: an event is written in the format of the API, whatever its texts contain")
    func json() throws {
        let texts = [
            "plain", "with \"quotes\" and \\ and /", "line\nbreak\r\ttab", "\u{0}\u{1}\u{1f}\u{7f}", "äöü€😀\u{2028}",
            "",
        ]
        for (index, text) in texts.enumerated() {
            var attributes: [String: AttributeValue] = [
                "text": .string(text), "key \(text)": true, "whole": 42, "part": 0.1, "large": .number(1e300),
                "small": .number(-2.5e-10), "big": .number(9_007_199_254_740_992),
                "date": .date(Date(milliseconds: 1_000)),
            ]
            let event = Event(
                id: EventID(UUID()), kind: .custom, name: try EventName("name \(index) \"x\""),
                timestamp: Date(milliseconds: 1_767_571_200_123), attributes: try EventBody.attributes(attributes),
                sessionID: "session \(text)"
            )
            let decoded = try JSONDecoder().decode(WireEvent.self, from: EventBody.json(event))
            attributes["date"] = .string(Timestamp.text(Date(milliseconds: 1_000)))
            let expected = WireEvent(
                id: event.id.rawValue, type: "custom", name: event.name.rawValue,
                timestamp: Timestamp.text(event.timestamp), attributes: attributes, sessionId: event.sessionID
            )
            #expect(decoded == expected)
        }
    }

    @Test("WIRE-6: an event without attributes and session omits them")
    func bare() throws {
        let event = Event(
            id: EventID(UUID()), kind: .internal, name: .appStart, timestamp: Date(milliseconds: 0)
        )
        let text = String(decoding: try EventBody.json(event), as: UTF8.self)
        #expect(!text.contains("attributes"))
        #expect(!text.contains("sessionId"))
        #expect(text.contains("\"timestamp\":\"1970-01-01T00:00:00.000Z\""))
    }

    @Test("ID-7: a batch puts each owner's reference into its events, and none where there is none")
    func references() throws {
        struct Batch: Decodable {
            let events: [WireEvent]
        }
        let waiting = try [0, 1, 2, 1].enumerated().map { row, owner in
            let event = Event(
                id: EventID(UUID()), kind: .custom, name: try EventName("event \(row)"), timestamp: World.epoch
            )
            return WaitingEvent(id: Int64(row), owner: owner, body: try EventBody.json(event))
        }
        let owners = EventOwners(references: [1: "ref \"one\"", 2: "ref-two"], present: 0)
        let next = EventBatch.next(of: waiting, limit: BatchLimit(count: 10, bytes: 10_000), owners: owners)
        guard case .batch(let batch) = next else {
            Issue.record("nothing leaves: \(next)")
            return
        }
        let decoded = try JSONDecoder().decode(Batch.self, from: batch.body)
        let contacts: [String?] = [nil, "ref \"one\"", "ref-two", "ref \"one\""]
        #expect(decoded.events.map(\.contact) == contacts)
        #expect(decoded.events.map(\.name) == ["event 0", "event 1", "event 2", "event 3"])
        #expect(batch.rows == [0, 1, 2, 3])
    }

    @Test("EVT-2: a batch respects its count and its size; the first event always fits")
    func limits() {
        let event = WaitingEvent(id: 1, owner: 0, body: Data(String(repeating: "x", count: 100).utf8))
        var byCount = EventBatch.Builder(limit: BatchLimit(count: 2, bytes: 10_000))
        let takenByCount = (0..<5).filter { _ in byCount.add(event, reference: nil) }
        #expect(takenByCount.count == 2)
        var byBytes = EventBatch.Builder(limit: BatchLimit(count: 100, bytes: 350))
        let takenByBytes = (0..<5).filter { _ in byBytes.add(event, reference: nil) }
        #expect(takenByBytes.count == 3)
        #expect((byBytes.batch?.body.count ?? 0) <= 350)
        var tiny = EventBatch.Builder(limit: BatchLimit(count: 100, bytes: 1))
        let takenByTiny = (0..<2).map { _ in tiny.add(event, reference: nil) }
        #expect(takenByTiny == [true, false])
    }

    @Test("ID-7, REG-12: events share a batch while they may be sent; orphans are separate, waiting ones stop it")
    func outcomes() {
        let limit = BatchLimit(count: 10, bytes: 10_000)
        // Owner 1 has a reference, 2 is the present one, 7 is forgotten.
        let cases: [(owners: [Int], held: Bool, expected: String)] = [
            ([], false, "nothing"), ([1, 2, 1], false, "batch [0, 1, 2]"), ([1, 7, 1], false, "batch [0]"),
            ([7, 7, 1], false, "orphans [0, 1]"), ([2, 1], true, "nothing"), ([1, 1, 2, 1], true, "batch [0, 1]"),
            ([7, 2], true, "orphans [0]"),
        ]
        for (numbers, isHeld, expected) in cases {
            let owners = EventOwners(references: [1: "one"], present: 2, holdsPresent: isHeld)
            let waiting = numbers.enumerated().map { WaitingEvent(id: Int64($0), owner: $1, body: Data("{}".utf8)) }
            let found =
                switch EventBatch.next(of: waiting, limit: limit, owners: owners) {
                case .batch(let batch): "batch \(batch.rows)"
                case .orphans(let rows): "orphans \(rows)"
                case .nothing: "nothing"
                }
            #expect(found == expected, "\(numbers)")
        }
    }

    @Test("EVT-9: dates in headers are read only in the format of RFC 9110")
    func httpDates() {
        #expect(HTTPDate.date("Sun, 06 Nov 1994 08:49:37 GMT") == Date(timeIntervalSince1970: 784_111_777))
        #expect(HTTPDate.date("Thu, 29 Feb 2024 23:59:59 GMT") == Date(timeIntervalSince1970: 1_709_251_199))
        for text in [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nix 1994 08:49:37 GMT",
        ] {
            #expect(HTTPDate.date(text) == nil)
        }
        let now = Date(timeIntervalSince1970: 784_111_700)
        #expect(HTTPDate.retryAfter("120", now: now) == 120)
        #expect(HTTPDate.retryAfter("-5", now: now) == 0)
        #expect(HTTPDate.retryAfter("Sun, 06 Nov 1994 08:49:37 GMT", now: now) == 77)
        #expect(HTTPDate.retryAfter("soon", now: now) == nil)
        #expect(HTTPDate.retryAfter(nil, now: now) == nil)
    }
}
