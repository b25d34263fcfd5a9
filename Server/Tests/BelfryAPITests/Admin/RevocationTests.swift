import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Revoked devices")
struct RevocationTests {
    @Test("WIRE-20, ADM-1: a revoked device registers and links again; the log says who revoked it")
    func revoke() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            #expect(try await device.track(EventTests.event("e1")).status == .noContent)
            let response = try await server.admin(.post, "/apps/shop/devices/\(device.id)/revoke")
            #expect(response.status == .noContent && response.body.readableBytes == 0)
            let rejected = try await device.track(EventTests.event("e2"))
            try expectError(rejected, .unauthorized, "contactTokenInvalid", target: "X-Contact-Token")
            let body = #"{"refreshToken":"\#(device.refreshToken ?? "")"}"#
            let gone = try await device.call(.post, "/client/contact-token", body)
            try expectError(gone, .badRequest, "1101", target: "refreshToken")
            try await device.start(contactKey: "anna")
            #expect(try await device.track(EventTests.event("e2")).status == .noContent)
            let entries = try await server.database.read { try $0.audit.newest(9) }
            let entry = try #require(entries.first { $0.action == "device.revoke" })
            // By its number: its id is not to outlive its person in the log.
            #expect(entry.app == "shop" && entry.target.flatMap(Int64.init) != nil)
        }
    }

    @Test("ADM-1: revoking a device needs the scope admin, and a known device")
    func rejections() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let key = try await server.makeKey(["read", "campaign"])
            let forbidden = try await server.admin(.post, "/apps/shop/devices/\(device.id)/revoke", key: key)
            #expect(forbidden.status == .forbidden)
            let unknown = try await server.admin(.post, "/apps/shop/devices/\(UUID().uuidString)/revoke")
            try expectError(unknown, .notFound, "notFound", target: "device")
            #expect(try await device.track(EventTests.event("e1")).status == .noContent)
        }
    }
}
