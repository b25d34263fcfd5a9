import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Hummingbird
import Testing

/// EVT-4: a bad event is named, and the batch around it is stored.
@Suite("Every field of an event")
struct EventErrorTests {
    private static let operations = ["sendEvents", "sendEventsOfVersion4"]

    private static func fields() throws -> [SchemaField] {
        let description = APIDescription.own
        let fields = description.fields(of: try #require(description.schema("Event")))
        #expect(fields.count > 6)
        return fields
    }

    /// Sends a spoiled event between two good ones, as JSON text, and expects that it alone is refused.
    private static func expectRejected(_ text: String, _ stage: CallStage, _ id: String, field: String) async throws {
        let (first, last) = ("a-\(UUID().uuidString)", "b-\(UUID().uuidString)")
        let events = [try stage.event(first).text, text, try stage.event(last).text]
        let before = try await stage.storedState()
        let body = #"{"events":[\#(events.joined(separator: ","))]}"#
        let response = try await stage.send(try stage.call(id), text: body)
        #expect(response.status == .ok, "\(field) in \(text.prefix(200))")
        let rejected = try response.json(EventBatchResponse.self).rejected ?? []
        #expect(rejected.map(\.index) == [1], "\(field) in \(text.prefix(200))")
        #expect(rejected.allSatisfy { $0.reason.hasPrefix(field) }, "\(field): \(rejected)")
        let after = try await stage.storedState()
        #expect(after.device == before.device && after.contact == before.contact)
        let stored = try await stage.device.events().map(\.id)
        #expect(stored.contains(first) && stored.contains(last), "\(field)")
    }

    @Test("EVT-4, WIRE-23: a value of the wrong type rejects only its event", arguments: operations)
    func wrongKinds(id: String) async throws {
        try await CallStage.run { stage in
            for field in try Self.fields() {
                for value in field.wrongValues {
                    let event = try #require(try stage.event("bad").replacing(field.path, with: value))
                    try await Self.expectRejected(event.text, stage, id, field: field.name)
                }
            }
        }
    }

    @Test("EVT-4, WIRE-23: null and absence reject an event only if the field is required", arguments: operations)
    func nulls(id: String) async throws {
        try await CallStage.run { stage in
            for field in try Self.fields() {
                for value in [JSONValue.null, nil] {
                    let event = try #require(
                        try stage.event("e-\(UUID().uuidString)").replacing(field.path, with: value))
                    if field.isRequired {
                        try await Self.expectRejected(event.text, stage, id, field: field.name)
                    } else {
                        let response = try await stage.send(try stage.call(id), text: #"{"events":[\#(event.text)]}"#)
                        #expect(response.status == .noContent, "\(field.name): \(response.text)")
                    }
                }
            }
        }
    }

    @Test("EVT-4, EVT-8: texts that no event may have reject only theirs", arguments: operations)
    func texts(id: String) async throws {
        let long = String(repeating: "x", count: 200)
        let wrong: [(field: String, text: String)] = [
            ("id", "a\u{0}b"), ("id", ""), ("id", long), ("name", "a\u{0}b"), ("name", " \n"), ("name", long),
            ("sessionId", "a\u{0}b"), ("sessionId", long), ("timestamp", "now"), ("timestamp", "2026-11-21T12:00:00"),
            ("timestamp", "2026-02-30T12:00:00Z"), ("timestamp", ""), ("type", "Custom"), ("type", ""),
        ]
        try await CallStage.run { stage in
            for (field, text) in wrong {
                let event = try #require(try stage.event("bad").replacing([field], with: .string(text)))
                try await Self.expectRejected(event.text, stage, id, field: field)
            }
        }
    }

    @Test(
        "EVT-4, WIRE-23: lone surrogates, huge numbers and strange attributes reject only their event",
        arguments: operations)
    func oddities(id: String) async throws {
        let wrong: [(field: String, text: String)] = [
            ("name", #""\ud800""#), ("name", #""\udc00x""#), ("attributes", #"{"a":"\ud83d"}"#),
            ("attributes", #"{"a":1e400}"#), ("attributes", #"{"a":[1]}"#), ("attributes", #"{"a":{"b":1}}"#),
            ("timestamp", "1795262400"), ("attributes", #"{"a":"\#(String(repeating: "x", count: 70_000))"}"#),
            ("attributes", "{" + (0..<65).map { #""k\#($0)":1"# }.joined(separator: ",") + "}"),
        ]
        try await CallStage.run { stage in
            for (field, text) in wrong {
                let event = try #require(try stage.event("bad").replacing([field], with: .string("PLACE"))).text
                try await Self.expectRejected(event.replacing(#""PLACE""#, with: text), stage, id, field: field)
            }
            for text in ["1", "[]", #""x""#, "true"] {
                try await Self.expectRejected(text, stage, id, field: "")
            }
        }
    }

    @Test(
        "WIRE-6, WIRE-23: a body that is not a list of events is refused, and changes nothing", arguments: operations)
    func noList(id: String) async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for value in ["null", "{}", "true", "7", #""x""#] {
                let response = try await stage.send(try stage.call(id), text: #"{"events":\#(value)}"#)
                try expectError(response, .badRequest, "invalidBody", target: "events", "\(value)")
            }
            let absent = try await stage.send(try stage.call(id), text: "{}")
            try expectError(absent, .badRequest, "invalidBody", target: "events")
            let many = String(repeating: "1,", count: WireLimits.maximumEventsPerRequest) + "1"
            let tooMany = try await stage.send(try stage.call(id), text: #"{"events":[\#(many)]}"#)
            try expectError(tooMany, .contentTooLarge, "bodyTooLarge", target: "events")
            #expect(try await stage.server.contents() == before)
        }
    }
}
