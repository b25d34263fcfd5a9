import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import BelfryAPI

/// The device hears what became of its registrations in the responses that it gets anyway (REG-25).
@Suite("Results of registrations")
struct RegistrationResultTests {
    private static func register(_ device: inout TestDevice, _ revision: Int) async throws -> RegistrationResponse {
        let body = device.snapshot(revision: revision, #","attributes":{"city":"Paris","shoe \"size\"":42}"#)
        return try await device.call(.post, "/client/registration", body).json(RegistrationResponse.self)
    }

    private static func centers(_ device: inout TestDevice) async throws -> RegistrationResult? {
        try await device.call(.get, "/client/message-centers").json(MessageCentersResponse.self).registration
    }

    private static func sync(_ device: inout TestDevice, since: String? = nil) async throws -> InAppSyncResponse {
        let query = since.map { "?since=\($0)" } ?? ""
        return try await device.call(.get, "/client/in-app-messages\(query)").json(InAppSyncResponse.self)
    }

    @Test(
        "REG-25, WIRE-7, WIRE-9, WIRE-10: responses name the last processed revision and what was rejected",
        .timeLimit(.minutes(15)), arguments: [ServerWay.router, .lane])
    func named(way: ServerWay) async throws {
        try await TestServer.run(over: way) { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            #expect(try await Self.centers(&device) == nil)
            #expect(try await Self.register(&device, 1).registration == nil)
            // It is only received, and says nothing yet.
            #expect(try await Self.centers(&device) == nil)
            let before = try await Self.sync(&device)
            #expect(before.registration == nil)
            _ = try await server.registrations.processWaiting()

            let rejected = RejectedField(
                field: #"attributes.shoe "size""#, reason: "undefinedAttribute",
                message: #"The app has not defined 'shoe "size"'."#
            )
            let expected = RegistrationResult(revision: 1, rejected: [rejected])
            #expect(try await Self.centers(&device) == expected)
            let after = try await Self.sync(&device, since: before.cursor)
            #expect(after.registration == expected)
            #expect(try await Self.register(&device, 2).registration == expected)
            _ = try await server.registrations.processWaiting()
            let newest = RegistrationResult(revision: 2, rejected: [rejected])
            #expect(try await Self.register(&device, 3).registration == newest)
        }
    }

    @Test("REG-25, PERF-7: a sync says it once: not again while nothing has changed since its cursor")
    func saidOnce() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            _ = try await Self.register(&device, 1)
            _ = try await server.registrations.processWaiting()
            // Changes within the last second are fetched once more.
            server.clock.advance(by: 2)
            let first = try await Self.sync(&device)
            #expect(first.registration?.rejected.count == 2)
            let second = try await Self.sync(&device, since: first.cursor)
            #expect(second.registration == nil && second.cursor == first.cursor)
        }
    }

    @Test("WIRE-7: the lane writes the same text as the router")
    func sameText() throws {
        let rejected = RejectedField(field: #"attributes."/ü"#, reason: "wrongType", message: "line\nline")
        for entries in [[], [rejected], [rejected, rejected]] {
            let result = RegistrationResult(revision: 7, rejected: entries)
            var text = JSONWriter()
            text.literal("{")
            text.member(registration: result)
            text.literal("}")
            let encoded = try JSONEncoder.responses.encode(["registration": result])
            #expect(text.bytes == Array(encoded))
        }
    }
}
