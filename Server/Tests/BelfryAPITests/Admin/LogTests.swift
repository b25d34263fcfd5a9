import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Hummingbird
import Testing

@Suite("Logs")
struct LogTests {
    @Test("SEC-3: no secret, token or personal value is in the log, on success or failure")
    func nothingSecret() async throws {
        try await TestServer.run(changesTables: true) { server in
            let apiKey = try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#, key: apiKey)
            _ = try await server.admin(.put, "/apps/shop/credentials/apns", try Credentials.body(), key: apiKey)
            var device = TestDevice(server)
            try await device.start(contactKey: "anna@example.com")
            func useAll() async throws {
                let event = EventTests.event("e1", #","attributes":{"address":"12 Elm Street"}"#)
                try await device.track(event)
                try await device.call(.put, "/client/push-token", #"{"pushToken":"\#(PushTokenTests.token)"}"#)
                let others = #","contactKey":"anna@example.com","attributes":{"city":"Springfield"}"#
                try await device.call(.post, "/client/registration", device.snapshot(revision: 1, others))
                _ = try? await server.registrations.processWaiting()
                let refresh = #"{"refreshToken":"\#(device.refreshToken ?? "")"}"#
                try await device.call(.post, "/client/contact-token", refresh)
                _ = try await server.admin(.get, "/apps/shop/contacts/anna%40example.com", key: apiKey)
            }
            try await useAll()
            let secrets = [
                TestServer.rootKey, apiKey, PushTokenTests.token, "anna@example.com", "12 Elm Street", "Springfield",
                try #require(device.contactToken), try #require(device.refreshToken), try #require(device.state),
                String(try Credentials.privateKey().split(separator: "\n")[1]),
            ]
            for tables in [["events", "registrations", "refresh_tokens", "contacts"], ["apps"]] {
                for table in tables {
                    _ = try await server.database.write { try $0.execute(SQLText(ofTest: "DROP TABLE \(table)")) }
                }
                try await useAll()
            }
            let entries = server.log.entries
            #expect(entries.contains { $0.level == .error })
            let text = entries.map { "\($0.message) \($0.metadata) \($0.error.map { "\($0)" } ?? "")" }.joined()
            for secret in secrets { #expect(!text.contains(secret)) }
        }
    }
}
