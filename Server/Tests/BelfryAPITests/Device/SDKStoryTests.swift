import Belfry
import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Hummingbird
import Logging
import Testing

/// The SDK as an app uses it, and the server as it runs, with nothing between them.
@Suite("The SDK and the server")
struct SDKStoryTests {
    /// Carries the SDK's requests to the server's router.
    private struct RouterTransport: Transport {
        struct NoMethod: Error {}

        let server: TestServer

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard let method = HTTPRequest.Method(rawValue: request.method) else { throw NoMethod() }
            let response = try await server.call(
                method, request.path, bytes: request.body.map { Array($0) }, headers: request.headers
            )
            var headers: [String: String] = [:]
            for field in response.headers { headers[field.name.canonicalName] = field.value }
            return TransportResponse(
                status: response.status.code, headers: headers, body: Data(response.body.readableBytesView)
            )
        }
    }

    /// Lets an app live on a device against a server with these settings.
    private func live(
        _ change: @escaping @Sendable (inout AppSettings) -> Void,
        _ story: @Sendable (TestServer, BelfryClient) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.changeSettings("shop", change)
            let directory = FileManager.default.temporaryDirectory.appending(path: "belfry-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: directory) }
            let address = try #require(URL(string: "https://belfry.test"))
            let client = try BelfryClient(
                configuration: BelfryConfiguration(appCode: "shop", serverURL: address, directory: directory),
                platform: HeadlessPlatform(system: SystemProperties(platform: "ios", appVersion: "1.0")),
                transport: RouterTransport(server: server),
                environment: DeviceEnvironment(
                    now: { server.clock.now },
                    random: { 0.5 },
                    makeUUID: { UUID() },
                    // The clock stands still, so nobody wakes by it; the end of the client ends the sleep.
                    sleep: { _ in
                        let never = AsyncStream<Void>.makeStream()
                        for await _ in never.stream {}
                        never.continuation.finish()
                    }
                )
            )
            try await client.start()
            do {
                try await story(server, client)
            } catch {
                await client.stop()
                throw error
            }
            await client.stop()
        }
    }

    private func device(of client: BelfryClient, _ server: TestServer) async throws -> DeviceResponse {
        try await client.flush()
        return try await server.device(try await client.state().deviceId)
    }

    @Test("ID-4, ID-8: a refused person's data never becomes the next person's")
    func rejected() async throws {
        try await live {
            $0.contactFields = ["3"]
        } _: { server, client in
            try await client.setPushToken("abcdef", environment: .production)
            try await client.identify(contactKey: "anna")
            try await client.track("as anna")
            let annas = try await device(of: client, server)
            let left = try #require(annas.contactKey)
            #expect(left.hasPrefix("anonymous:") && annas.pushToken != nil)
            try await client.logout()
            let nobodys = try await device(of: client, server)
            #expect(nobodys.contactKey?.hasPrefix("anonymous:") == true && nobodys.contactKey != left)
            #expect(nobodys.pushToken == annas.pushToken)
            try await client.identify(contactKey: "bert", contactField: "3")
            let berts = try await device(of: client, server)
            #expect(berts.contactKey == "bert" && berts.pushToken == annas.pushToken)
            // It was not merged into bert, or it would not be found.
            let contact = try await server.admin(.get, "/apps/shop/contacts/\(left)")
            #expect(contact.status == .ok)
        }
    }

    @Test("ID-4, WIRE-22: with anonymous contacts off a logout leaves no push token with the former person")
    func anonymousOff() async throws {
        try await live {
            $0.anonymousContacts = false
        } _: { server, client in
            try await client.setPushToken("abcdef", environment: .production)
            try await client.identify(contactKey: "anna")
            let annas = try await device(of: client, server)
            #expect(annas.contactKey == "anna" && annas.pushToken != nil)
            // Long after the last call: the contact token has expired.
            server.clock.advance(by: 9 * 3_600)
            try await client.logout()
            let stranded = try await device(of: client, server)
            #expect(stranded.contactKey == "anna" && stranded.pushToken == nil)
            try await client.identify(contactKey: "bert")
            let berts = try await device(of: client, server)
            #expect(berts.contactKey == "bert" && berts.pushToken == annas.pushToken)
        }
    }

    @Test("REG-25: the app hears that an attribute is not defined; once it is, what the app had sent counts")
    func undefinedAttribute() async throws {
        try await live { _ in
        } _: { server, client in
            try await client.flush()
            try await client.edit { record in
                record.setAttribute("shoe", to: 38)
                record.setContactKey("anna")
            }
            try await register(client, server)
            try await client.edit { $0.addTag("a") }
            try await register(client, server)
            let rejected = try await client.state().registration.rejected
            #expect(rejected.map(\.field) == ["attributes.shoe"])
            for await report in client.reports {
                #expect(report == .attributesRejected(rejected))
                break
            }
            let defined = try await server.admin(.put, "/apps/shop/attributes/shoe", #"{"type":"number"}"#)
            #expect(defined.status == .ok)
            let (environment, logger) = (TestServer.environment(server.clock), Logger(label: "belfry.test"))
            let attempts = WorkAttempts(
                owner: "reviewer", database: server.database, environment: environment, metrics: Metrics(),
                logger: logger
            )
            let reviewer = AttributeReviewer(
                database: server.database, environment: environment, attempts: attempts, logger: logger
            )
            while try await reviewer.reviewNext() != nil {}
            let contact = try await server.admin(.get, "/apps/shop/contacts/anna").json(ContactResponse.self)
            let attributes: [String: AttributeValue] = ["shoe": 38]
            #expect(contact.attributes == attributes)
            try await client.edit { $0.addTag("b") }
            try await register(client, server)
            #expect(try await client.state().registration.rejected.isEmpty)
        }
    }

    /// Sends the record as soon as a registration is permitted again, and lets the server process it.
    private func register(_ client: BelfryClient, _ server: TestServer) async throws {
        server.clock.advance(by: 61)
        try await client.flush()
        while try await server.registrations.processWaiting() > 0 {}
    }

    /// A test message of the campaign, as the device gets it (CAMP-7).
    private func push(to client: BelfryClient, _ server: TestServer) async throws -> ReceivedPush {
        let device = try await client.state().deviceId
        let sent = try await server.admin(.post, "/apps/shop/campaigns/1/test", #"{"deviceIds":["\#(device)"]}"#)
        #expect(sent.status == .ok && sent.text.contains("accepted"), "\(sent.text)")
        return try #require(ReceivedPush(json: Data(server.transport.newestPayload)))
    }

    @Test("ADM-5, ID-4: after a merge into a contact that used the device before, no push is dropped")
    func mergedIntoFormer() async throws {
        try await live { _ in
        } _: { server, client in
            _ = try await server.admin(.put, "/apps/shop/credentials/apns", try Credentials.body())
            let campaign =
                #"{"name":"Sale","kind":"push","audience":{"everyone":true},"push":{"title":"Hi","body":"!"}}"#
            #expect(try await server.admin(.post, "/apps/shop/campaigns", campaign).status == .created)
            try await client.setPushToken(String(repeating: "ab", count: 32), environment: .production)
            var bobs: ReceivedPush?
            for key in ["bob", "anna"] {
                try await client.identify(contactKey: key)
                #expect(try await device(of: client, server).contactKey == key)
                if key == "bob" { bobs = try await push(to: client, server) }
            }
            let former = try #require(bobs)
            #expect(try await !client.mayShow(former), "a push for who used it before")
            let merged = try await server.admin(.post, "/apps/shop/contacts/anna/merge", #"{"into":"bob"}"#)
            #expect(merged.status == .ok)
            let first = try await push(to: client, server)
            #expect(try await client.mayShow(first))
            // The app names the contact that remains: for the device another person.
            try await client.identify(contactKey: "bob")
            #expect(try await device(of: client, server).contactKey == "bob")
            let second = try await push(to: client, server)
            #expect(try await client.mayShow(second))
            #expect(second.payload.to != first.payload.to && second.payload.to == former.payload.to)
        }
    }

    @Test("EVT-9: a clock that was ahead once misdates nothing afterwards")
    func clockAheadOnce() async throws {
        try await live { _ in
        } _: { server, client in
            try await client.flush()
            // The device's clock is the server's here, so both go ahead, and the device's orders with them.
            server.clock.advance(by: 86_400)
            try await client.track("ahead")
            try await client.flush()
            server.clock.advance(by: -86_400)
            try await client.track("right")
            try await client.flush()
            let id = try await client.state().deviceId
            let response = try await server.admin(.get, "/apps/shop/devices/\(id)/events").json(
                DeviceEventsResponse.self)
            let event = try #require(response.events.first { $0.name == "right" })
            #expect(event.correctedTimestamp == nil)
        }
    }
}
