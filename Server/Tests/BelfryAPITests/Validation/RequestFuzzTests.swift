import BelfryTestSupport
import BelfryWire
import Foundation
import Hummingbird
import Testing

/// Thousands of randomly spoiled requests: none causes a server error, and none that is rejected changes
/// anything (WIRE-23). Each response is held against the description as well.
@Suite("Randomly corrupted requests")
struct RequestFuzzTests {
    private static let casesPerSeed = 400

    /// What every response must have, whatever the request was.
    private static func expectSound(_ answer: APIResponse, _ what: Comment) {
        #expect(answer.status.code < 500, what)
        #expect(answer.header("Cache-Control") == "no-store", what)
        #expect(answer.header("X-Content-Type-Options") == "nosniff", what)
        guard answer.status.code >= 400 else { return }
        let error = (try? answer.json(ErrorBody.self))?.error
        #expect(error?.code.isEmpty == false && error?.message.isEmpty == false, what)
    }

    @Test(
        "WIRE-23: no body, header or parameter crashes the device API, and no error changes a device",
        arguments: Endurance.seeds(8, brief: 2))
    func deviceCalls(seed: UInt64) async throws {
        try await CallStage.run { stage in
            var mutation = Mutation(seed: seed)
            let operations = stage.deviceOperations
            var state = try await stage.storedState()
            for index in 0..<Self.casesPerSeed {
                var call = try stage.call(mutation.pick(operations))
                if mutation.chance(1, of: 5) {
                    let names = ["X-Client-State", "X-Request-Order", "X-Contact-Token", "Content-Type", "X-Client-Id"]
                    call.headers[mutation.pick(names)] = mutation.text()
                }
                if mutation.chance(1, of: 20) { call.address += "?anonymous=" + mutation.text() }
                if mutation.chance(1, of: 20) {
                    call.address = call.address.replacing(CallStage.registrationID, with: mutation.text())
                }
                let body = call.body.map { mutation.chance(9, of: 10) ? mutation.body(from: $0) : Array($0.text.utf8) }
                let answer = try await stage.send(call, bytes: body)
                let sent = String(decoding: (body ?? []).prefix(500), as: UTF8.self)
                let what = "seed \(seed), case \(index): \(call.method.rawValue) \(call.address) \(sent)"
                Self.expectSound(answer, "\(what)")
                let after = try await stage.storedState()
                if answer.status.code >= 400 { #expect(after == state, "\(what)") }
                state = after
            }
            // Whatever was taken in can be processed and shown.
            while try await stage.server.registrations.processWaiting() > 0 {}
            #expect(try await stage.server.admin(.get, "/apps/shop/devices/\(stage.device.id)").status == .ok)
            _ = try await stage.device.events()
        }
    }

    @Test(
        "WIRE-23, ADM-3: no body or parameter crashes the admin API, and no error changes anything",
        arguments: Endurance.seeds(4, brief: 1))
    func adminCalls(seed: UInt64) async throws {
        try await CallStage.run { stage in
            var mutation = Mutation(seed: 1_000 + seed)
            // Calls that end the story are left out.
            let operations = stage.adminOperations.filter { !["eraseContact", "deleteContact"].contains($0.id) }
            var contents = try await stage.server.contents()
            for index in 0..<Self.casesPerSeed / 2 {
                let operation = mutation.pick(operations)
                var call = try stage.call(operation)
                let parts = ["anna", stage.device.id, "city", "/1"]
                if mutation.chance(1, of: 4) {
                    call.address = call.address.replacing(mutation.pick(parts), with: mutation.text())
                }
                if mutation.chance(1, of: 4) {
                    let names = [
                        "limit", "cursor", "orphaned", "name", "from", "to", "attribute.sku", "campaign", "device",
                    ]
                    call.address +=
                        (call.address.contains("?") ? "&" : "?") + mutation.pick(names) + "=" + mutation.text()
                }
                let body = call.body.map { mutation.chance(9, of: 10) ? mutation.body(from: $0) : Array($0.text.utf8) }
                let answer = try await stage.send(call, bytes: body)
                let sent = String(decoding: (body ?? []).prefix(500), as: UTF8.self)
                let what = "seed \(seed), case \(index): \(call.method.rawValue) \(call.address) \(sent)"
                Self.expectSound(answer, "\(what)")
                let after = try await stage.server.contents()
                if answer.status.code >= 400 { #expect(after == contents, "\(what)") }
                contents = after
            }
        }
    }
}
