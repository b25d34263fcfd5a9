import BelfryModel
import BelfryServices
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

/// SEC-9: what a server does whose disk is nearly full.
@Suite("Below the disk floor")
struct DiskFloorTests {
    private static let event = #"{"id":"%","type":"custom","name":"tap","timestamp":"2026-11-22T00:00:00.000Z"}"#

    private func event() -> String { Self.event.replacing("%", with: UUID().uuidString) }

    @Test("SEC-9: device uploads, new devices and new objects of operators get 503, and nothing is stored")
    func rejected() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            server.disk.set(available: 50_000)
            await server.services.storage.tick()
            var newcomer = TestDevice(server)
            let before = try await server.contents()
            let rejections = [
                try await newcomer.call(.post, "/client", #"{"platform":"ios"}"#),
                try await newcomer.call(.post, "/client/contact?anonymous=true"),
                try await device.track(event()), try await device.track(event(), version: "v4"),
                try await device.call(.post, "/client/registration", device.snapshot(revision: 1)),
                try await device.call(.put, "/client/push-token", #"{"pushToken":"\#(PushTokenTests.token)"}"#),
                try await server.admin(.post, "/apps", #"{"code":"other","name":"Other"}"#),
                try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#),
                try await server.admin(.put, "/apps/shop/message-centers/news", #"{"label":"News"}"#),
            ]
            for (index, response) in rejections.enumerated() {
                try expectError(response, .serviceUnavailable, "storageFull", "\(index)")
                #expect(response.header("Retry-After") == "5")
            }
            #expect(try await server.contents() == before)
            try expectError(try await server.call(.get, "/readyz"), .serviceUnavailable, "storageFull")
            #expect(try await server.call(.get, "/healthz").status == .ok)
            server.disk.set(available: 500_000)
            await server.services.storage.tick()
            #expect(try await server.call(.get, "/readyz").status == .ok)
            #expect(try await device.track(event()).status == .noContent)
        }
    }

    @Test("SEC-9: reads, refreshed tokens, and calls that end or remove something continue")
    func goesOn() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let made = try await server.admin(.post, "/apps/shop/campaigns", AdminAccessTests.draft)
            try #require(made.status == .created, "\(made.text)")
            let id = try made.json(CampaignStatusResponse.self).id
            let center = try await server.admin(.put, "/apps/shop/message-centers/news", #"{"label":"News"}"#)
            try #require(center.status == .ok, "\(center.text)")
            server.disk.set(available: 1_000)
            await server.services.storage.tick()
            let refresh = #"{"refreshToken":"\#(device.refreshToken ?? "")"}"#
            let responses: [(APIResponse, HTTPResponse.Status)] = [
                (try await device.call(.post, "/client/contact-token", refresh), .ok),
                (try await device.call(.get, "/client/message-centers"), .ok),
                (try await device.call(.get, "/client/in-app-messages"), .ok),
                (try await device.call(.put, "/client/badge", #"{"count":3}"#), .ok),
                (try await device.call(.delete, "/client/push-token"), .noContent),
                (try await server.admin(.get, "/apps"), .ok),
                (try await server.admin(.get, "/apps/shop/devices/\(device.id)"), .ok),
                (try await server.admin(.post, "/apps/shop/audience", #"{"audience":{"everyone":true}}"#), .ok),
                (try await server.admin(.put, "/apps/shop/settings", #"{"eventRetentionDays":7}"#), .ok),
                (try await server.admin(.post, "/apps/shop/campaigns/\(id)/cancel"), .accepted),
                (try await server.admin(.delete, "/apps/shop/message-centers/news"), .noContent),
                (try await server.admin(.post, "/apps/shop/contacts/anna/erase"), .ok),
            ]
            for (index, (response, expected)) in responses.enumerated() {
                #expect(response.status == expected, "\(index): \(response.text)")
            }
        }
    }

    @Test("SEC-9: the express lane refuses like the router, and serves reads itself", .timeLimit(.minutes(15)))
    func lane() async throws {
        try await TestServer.run(over: .lane) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let connection = try await WireConnection.open(to: server)
            let order = server.clock.now.milliseconds
            let upload = WireRequest("/client/events", #"{"events":[\#(event())]}"#, by: device, order: order)
            #expect(try await connection.answer(to: upload)?.status == 204)
            server.disk.set(available: 50_000)
            await server.services.storage.tick()
            let rejected = try #require(try await connection.answer(to: upload))
            #expect(rejected.status == 503 && rejected.body.contains("storageFull"))
            var fetch = WireRequest("/client/message-centers", "", by: device, order: order)
            fetch.method = "GET"
            fetch.set("Content-Type", nil)
            fetch.set("Accept-Encoding", nil)
            let served = try #require(try await connection.answer(to: fetch))
            #expect(served.status == 200 && served.isExpress(of: server))
            await connection.close()
        }
    }

    /// The operations that write and go on below the floor. Whoever adds one says why nothing grows by it.
    private static let exempt: Set<String> = [
        "POST /v3/apps/{appCode}/client/contact-token", "POST /v3/apps/{appCode}/client/contact_token",
        "PUT /v3/apps/{appCode}/client/badge", "PUT /v3/apps/{appCode}/client/messages/{messageId}/state",
        "PUT /v3/apps/{appCode}/client/messages/{messageId}/rich-content/confirmation",
        "POST /v3/apps/{appCode}/inline-messages", "POST /v4/apps/{appCode}/inline-messages",
        "PUT /api/v1/apps/{app}/settings", "PUT /api/v1/apps/{app}/credentials/apns",
        "PUT /api/v1/apps/{app}/credentials/fcm", "PUT /api/v1/apps/{app}/credentials/webpush",
        "POST /api/v1/apps/{app}/audience", "POST /api/v1/apps/{app}/devices/{clientId}/revoke",
        "POST /api/v1/apps/{app}/contacts/{contactKey}/erase", "POST /api/v1/apps/{app}/campaigns/{id}/preview",
        "POST /api/v1/apps/{app}/campaigns/{id}/dry-run", "POST /api/v1/apps/{app}/campaigns/{id}/pause",
        "POST /api/v1/apps/{app}/campaigns/{id}/cancel", "POST /api/v1/apps/{app}/campaigns/{id}/recall",
        "POST /api/v1/apps/{app}/contacts/{contactKey}/messages/{id}/recall", "POST /api/v1/quarantine/{work}/retry",
    ]

    @Test("SEC-9: every route that is exempt from the floor exists, and writes; no other is exempt")
    func exemptions() async throws {
        let exempt = APIRoutes.operations.filter(\.isAcceptedOnFullDisk)
        let found = exempt.map { operation in "\(operation.method.rawValue.uppercased()) \(operation.path)" }
        #expect(Set(found) == Self.exempt)
        try await TestServer.run { server in
            let writes = server.routes.filter { $0.hasPrefix("POST ") || $0.hasPrefix("PUT ") }
            let paths = Set(writes.compactMap { $0.split(separator: " ").last.map(String.init) })
            #expect(Set(exempt.map(\.path)).subtracting(paths).isEmpty)
        }
    }
}
