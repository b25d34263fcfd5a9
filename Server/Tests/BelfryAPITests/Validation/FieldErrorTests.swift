import BelfryTestSupport
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Every field of the device API")
struct FieldErrorTests {
    /// Calls whose fields are checked together; events are checked one by one.
    private static let operations = [
        "putClient", "linkContact", "refreshContactToken", "putPushToken", "sendRegistration", "putMessageState",
        "putBadge",
    ]

    /// Fields without which a call means nothing though its schema, which knows another form, can do without.
    private static let neededTogether: Set = ["linkContact contactFieldValue"]

    private static func fields(_ id: String) throws -> [SchemaField] {
        let operation = try #require(APIDescription.own.operation(id))
        let fields = APIDescription.own.fields(of: try #require(operation.body))
        #expect(!fields.isEmpty)
        // Another form of the call; its parts are tried where it is sent.
        return fields.filter { id != "linkContact" || $0.path.first != "partyIdentifier" }
    }

    @Test("WIRE-23, ID-9: a wrong part of a party identifier is a 400 that names it, and changes nothing")
    func partyParts() async throws {
        try await CallStage.run { stage in
            let whole = try JSONValue(
                json: #"{"partyIdentifier":{"type":"email","name":"primary","number":"a@example.com"}}"#)
            let before = try await stage.server.contents()
            for part in ["type", "name", "number"] {
                for value: JSONValue in [.boolean(true), .number(7), .array([]), .null, .object([:])] {
                    var call = try stage.call("linkContact")
                    call.body = whole.replacing(["partyIdentifier", part], with: value)
                    let response = try await stage.send(call)
                    #expect(response.status == .badRequest, "\(part) as \(value.text)")
                    #expect(
                        try response.json(ErrorBody.self).error.target == "partyIdentifier.\(part)", "\(value.text)")
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    @Test(
        "WIRE-23: a value of the wrong type is a 400 that names its field, and changes nothing", arguments: operations)
    func wrongKinds(id: String) async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for field in try Self.fields(id) {
                for value in field.wrongValues {
                    var call = try stage.call(id)
                    call.body = call.body?.replacing(field.path, with: value)
                    let response = try await stage.send(call)
                    #expect(response.status == .badRequest, "\(field.name) as \(value.text)")
                    let target = try response.json(ErrorBody.self).error.target
                    #expect(target == field.name, "\(field.name) as \(value.text)")
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    @Test("WIRE-23: null counts as absent in every field", arguments: operations)
    func nulls(id: String) async throws {
        try await CallStage.run { stage in
            for field in try Self.fields(id) where !Self.neededTogether.contains("\(id) \(field.name)") {
                var call = try stage.call(id)
                call.body = call.body?.replacing(field.path, with: .null)
                let before = try await stage.server.contents()
                let response = try await stage.send(call)
                guard field.isRequired else {
                    #expect(call.successes.contains(response.status.code), "\(field.name): \(response.text)")
                    continue
                }
                #expect(response.status == .badRequest, "\(field.name)")
                let target = try response.json(ErrorBody.self).error.target
                #expect(target == field.name)
                #expect(try await stage.server.contents() == before, "\(field.name)")
            }
        }
    }

    @Test("WIRE-23: unknown fields are ignored, at every depth", arguments: operations)
    func unknown(id: String) async throws {
        let others: [(String, JSONValue)] = [
            ("unknown", .object(["a": .array([.null, .number(1e300), .object([:])])])), ("", .boolean(true)),
            ("é\u{301}", .null), ("__proto__", .object([:])), (String(repeating: "k", count: 5_000), .number(0)),
        ]
        try await CallStage.run { stage in
            for (key, value) in others {
                var call = try stage.call(id)
                call.body?[key] = value
                for field in try Self.fields(id) where field.types == ["object"] && field.name != "attributes" {
                    call.body = call.body?.replacing(field.path + [key], with: value)
                }
                let response = try await stage.send(call)
                #expect(call.successes.contains(response.status.code), "\(key.prefix(20)): \(response.text)")
            }
        }
    }

    @Test("WIRE-23: half a surrogate pair in a text is a 400, and changes nothing", arguments: operations)
    func surrogates(id: String) async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for field in try Self.fields(id) where field.types.contains("string") {
                for escape in [#"\ud800"#, #"\udc00"#, #"a\ud83dz"#, #"\ud800\ud800"#] {
                    let call = try stage.call(id)
                    let body = try #require(call.body?.replacing(field.path, with: .string("PLACE"))).text
                    let response = try await stage.send(call, text: body.replacing("PLACE", with: escape))
                    #expect(response.status == .badRequest, "\(field.name) with \(escape)")
                    #expect(try !response.json(ErrorBody.self).error.message.isEmpty)
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    @Test("WIRE-23: a number that no field can hold is a 400, and changes nothing", arguments: operations)
    func hugeNumbers(id: String) async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for field in try Self.fields(id) where field.types != ["object"] {
                for number in ["1e400", "-1e400", "123456789012345678901234567890", "1e30"]
                where !Self.takesHugeNumber(id, field, number) {
                    let call = try stage.call(id)
                    let body = try #require(call.body?.replacing(field.path, with: .string("PLACE"))).text
                    let response = try await stage.send(call, text: body.replacing(#""PLACE""#, with: number))
                    #expect(response.status == .badRequest, "\(field.name) as \(number)")
                    #expect(try !response.json(ErrorBody.self).error.message.isEmpty)
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    /// A badge above the maximum becomes the maximum, however far it is above (WIRE-12).
    private static func takesHugeNumber(_ id: String, _ field: SchemaField, _ number: String) -> Bool {
        id == "putBadge" && field.name == "count" && !number.hasPrefix("-")
    }

    /// Fields whose text is not stored, or is judged later, by itself (REG-25).
    private static func takesNullCharacter(_ id: String, _ field: SchemaField) -> Bool {
        switch (id, field.name) {
        case ("putClient", "pushSettings.authorizationStatus"), ("linkContact", "contactFieldId"),
            // One that was never sent to this installation says nothing.
            ("linkContact", "nonce"):
            true
        case ("sendRegistration", let name): !["deviceId", "registrationId"].contains(name)
        default: false
        }
    }

    @Test(
        "WIRE-23: the null character is refused, or rejected with its field; it is never stored", arguments: operations)
    func nullCharacters(id: String) async throws {
        try await CallStage.run { stage in
            for (index, field) in try Self.fields(id).enumerated() where field.isFreeText {
                var call = try stage.call(id)
                if id == "sendRegistration" { call.body?["revision"] = .number(Double(5 + index)) }
                call.body = call.body?.replacing(field.path, with: .string("an\u{0}na"))
                let response = try await stage.send(call)
                let taken = Self.takesNullCharacter(id, field) ? call.successes : []
                #expect(taken.union([400, 403, 404]).contains(response.status.code), "\(field.name): \(response.text)")
            }
            _ = try await stage.server.registrations.processWaiting()
            let state = try await stage.storedState()
            #expect(!"\(state.device) \(String(describing: state.contact))".contains("an\u{0}na"))
        }
    }
}
