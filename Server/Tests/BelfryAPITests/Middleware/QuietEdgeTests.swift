import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryWire
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

@Suite("A quiet log")
struct QuietEdgeTests {
    private static let contact = "anna@example.com"
    private static let pushToken = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    private static let values = ["Springfield", "12 Elm Street", "1987-06-05", "+34600123456", "vip-customers"]
    private static let address = "203.0.113.77"

    /// All calls of a device, valid and invalid ones, and those of its operator.
    private static func story(_ server: TestServer, _ device: inout TestDevice, apiKey: String) async throws {
        let browser = ["Origin": "https://shop.example", "X-Forwarded-For": address]
        try await device.call(.post, "/client", #"{"platform":"ios","language":"en"}"#, headers: browser)
        try await device.call(.post, "/client/contact?anonymous", headers: browser)
        let link = #"{"contactFieldId":3,"contactFieldValue":"\#(contact)"}"#
        try await device.call(.post, "/client/contact", link, headers: browser)
        try await device.call(.put, "/client/push-token", #"{"pushToken":"\#(pushToken)"}"#)
        let attributes = #"{"city":"\#(values[0])","birthday":"\#(values[2])","shoe":"\#(values[1])"}"#
        let party = #"{"type":"phone","name":"primary","number":"\#(values[3])"}"#
        let others = #","contactKey":"\#(contact)","attributes":\#(attributes),"tags":["\#(values[4])"]"#
        try await device.call(
            .post, "/client/registration", device.snapshot(revision: 1, others + #","partyIdentifier":\#(party)"#)
        )
        _ = try? await server.registrations.processWaiting()
        try await device.track(EventTests.event("e1", #","attributes":{"address":"\#(values[1])"}"#))
        let refresh = #"{"refreshToken":"\#(device.refreshToken ?? "")"}"#
        try await device.call(.post, "/client/contact-token", refresh)
        try await badCalls(&device)
        let paths = ["", "/events", "/messages"].map { "/devices/\(device.id)\($0)" } + ["/contacts/\(contact)"]
        for path in paths {
            _ = try await server.admin(.get, "/apps/shop\(path)", key: apiKey)
        }
        let headers = ["Authorization": "Bearer \(apiKey)", "Idempotency-Key": "a-key-of-\(contact)"]
        _ = try await server.call(.post, "/api/v1/apps/shop/campaigns", AdminAccessTests.draft, headers: headers)
    }

    private static func badCalls(_ device: inout TestDevice) async throws {
        let packed = try #require(Deflation.gzip(Array(#"{"contactFieldValue":"\#(contact)","x":"#.utf8)))
        let bodies: [(bytes: [UInt8], headers: [String: String])] = [
            (Array(#"{"contactFieldValue":"\#(contact)"#.utf8), [:]), (Array("\(contact) \(values[1])".utf8), [:]),
            (packed, ["Content-Encoding": "gzip"]), (Array(packed.dropLast(3)), ["Content-Encoding": "gzip"]),
            (packed, ["Content-Encoding": contact]), (Array("{}".utf8), ["Content-Type": contact]),
            (Array("{}".utf8), ["X-Client-State": contact, "X-Contact-Token": contact, "Origin": contact]),
        ]
        for path in ["client", "client/contact", "client/events", "client/registration", "client/push-token", contact] {
            for (bytes, headers) in bodies {
                var all = ["X-Client-Id": device.id, "X-Contact-Token": device.contactToken ?? ""]
                all.merge(headers) { $1 }
                for method in [HTTPRequest.Method.post, .put] {
                    _ = try await device.server.call(
                        method, "/v3/apps/shop/\(path)?contact=\(contact)", bytes: bytes, headers: all
                    )
                }
            }
        }
    }

    private static func held(by device: TestDevice) throws -> [String] {
        [
            try #require(device.contactToken), try #require(device.refreshToken), try #require(device.state),
            try #require(device.contactReference),
        ]
    }

    @Test("SEC-3: nothing secret or personal is in the log at trace level, whatever fails")
    func nothingSecret() async throws {
        let rates = RequestRates(perDevice: 300, limitsLoopback: true)
        let proxies = try #require(TrustedProxies("127.0.0.1"))
        try await TestServer.run(rates: rates, proxies: proxies) { server in
            let apiKey = try await server.makeApp()
            for name in ["city", "birthday"] {
                _ = try await server.admin(.put, "/apps/shop/attributes/\(name)", #"{"type":"string"}"#, key: apiKey)
            }
            _ = try await server.admin(.put, "/apps/shop/credentials/apns", try Credentials.body(), key: apiKey)
            try await server.changeSettings { $0.allowedOrigins = ["https://shop.example"] }
            var device = TestDevice(server)
            try await Self.story(server, &device, apiKey: apiKey)
            var secrets =
                Self.values + [
                    Self.contact, Self.pushToken, Self.address, TestServer.rootKey, apiKey,
                    String(try Credentials.privateKey().split(separator: "\n")[1]),
                ]
            secrets += try Self.held(by: device)
            // The store fails in one place after another.
            for table in ["events", "registrations", "refresh_tokens", "idempotent_answers", "contacts", "devices"] {
                _ = try await server.database.write {
                    try $0.execute(SQLText(ofTest: "ALTER TABLE \(table) RENAME TO elsewhere"))
                }
                server.clock.advance(by: 120)
                try await Self.story(server, &device, apiKey: apiKey)
                secrets += try Self.held(by: device)
                _ = try await server.database.write {
                    try $0.execute(SQLText(ofTest: "ALTER TABLE elsewhere RENAME TO \(table)"))
                }
            }
            let entries = server.log.entries
            #expect(entries.contains { $0.level == .error })
            let text = entries.map { "\($0.message) \($0.metadata) \($0.error.map { "\($0)" } ?? "")" }
                .joined(separator: "\n")
            for secret in secrets { #expect(!text.contains(secret), "\(secret.prefix(12))… is in the log") }
        }
    }
}
