import AsyncHTTPClient
import BelfryServerTestSupport
import BelfrySimulators
import Foundation
import Logging
import NIOPosix

/// A running simulator of FCM, a sender that it knows, and a client that shares no code with either.
struct FCMSimulation {
    static let project = "example"

    let simulator: FCMSimulator
    let addresses: FCMSimulator.Addresses
    let clock: ManualClock
    let account: TestServiceAccount
    /// The access token that a message carries unless it brings its own.
    let accessToken: String
    let client: HTTPClient

    /// Starts everything, runs the story, and ends everything.
    static func run(
        _ configuration: FCMSimulator.Configuration = FCMSimulator.Configuration(),
        _ version: HTTPClient.Configuration.HTTPVersion = .automatic,
        _ story: (FCMSimulation) async throws -> Void
    ) async throws {
        // Certificates are checked by the client's clock, which is the real one.
        let clock = ManualClock(Date())
        let simulator = try FCMSimulator(
            configuration: configuration,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            random: SimulatorRandom(seed: 1),
            clock: { clock.now },
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        let addresses = try await simulator.start()
        let account = try TestServiceAccount()
        try simulator.register(account.registration())
        let client = try HTTPClient.trusting(simulator.trustRootPEM, version)
        do {
            let assertion = try account.assertion(.init(audience: addresses.tokenURI, issuedAt: clock.now))
            let response = try await requestToken(assertion, addresses, client)
            let simulation = FCMSimulation(
                simulator: simulator,
                addresses: addresses,
                clock: clock,
                account: account,
                accessToken: (try? response.json(AccessToken.self))?.accessToken ?? "",
                client: client
            )
            try await story(simulation)
        } catch {
            try await client.shutdown()
            await simulator.shutdown()
            throw error
        }
        try await client.shutdown()
        await simulator.shutdown()
    }

    struct AccessToken: Decodable {
        var accessToken: String
        var expiresIn: Int
        var tokenType: String

        private enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case expiresIn = "expires_in"
            case tokenType = "token_type"
        }
    }

    /// The error model of Google's APIs.
    struct Rejection: Decodable {
        struct Fault: Decodable {
            var code: Int
            var message: String
            var status: String
            var details: [Detail]?
        }

        struct Detail: Decodable {
            var type: String
            var errorCode: String?
            var fieldViolations: [Violation]?
            var violations: [[String: String]]?
            var reason: String?
            var domain: String?
            var metadata: [String: String]?

            private enum CodingKeys: String, CodingKey {
                case type = "@type"
                case errorCode, fieldViolations, violations, reason, domain, metadata
            }
        }

        struct Violation: Decodable {
            var field: String
            var description: String
        }

        var error: Fault

        var errorCode: String? { error.details?.compactMap(\.errorCode).first }
        /// The detail of that name in `google.rpc`.
        func detail(_ name: String) -> Detail? {
            error.details?.first { $0.type == "type.googleapis.com/google.rpc.\(name)" }
        }

        var field: String? { error.details?.compactMap(\.fieldViolations).first?.first?.field }
    }

    static func requestToken(
        _ assertion: String,
        _ addresses: FCMSimulator.Addresses,
        _ client: HTTPClient,
        grantType: String = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
    ) async throws -> ReceivedResponse {
        try await client.call(
            "POST",
            addresses.tokenURI,
            fields: ["content-type": "application/x-www-form-urlencoded"],
            body: Array("grant_type=\(grantType)&assertion=\(assertion)".utf8)
        )
    }

    func requestToken(_ claims: TestServiceAccount.Claims? = nil, by sender: TestServiceAccount? = nil) async throws
        -> ReceivedResponse
    {
        let claims = claims ?? goodClaims
        return try await Self.requestToken(try (sender ?? account).assertion(claims), addresses, client)
    }

    var goodClaims: TestServiceAccount.Claims {
        TestServiceAccount.Claims(audience: addresses.tokenURI, issuedAt: clock.now)
    }

    /// Sends one message; `members` are its JSON members other than the token.
    func send(
        to token: String,
        _ members: String = #""notification":{"title":"Hello","body":"World"}"#,
        project: String = FCMSimulation.project,
        accessToken: String? = nil
    ) async throws -> ReceivedResponse {
        try await post(#"{"message":{"token":"\#(token)",\#(members)}}"#, project: project, accessToken: accessToken)
    }

    /// Sends one message to a Firebase installation id.
    func send(toInstallation id: String) async throws -> ReceivedResponse {
        try await post(#"{"message":{"fid":"\#(id)","notification":{"title":"Hello"}}}"#)
    }

    func post(_ body: String, project: String = FCMSimulation.project, accessToken: String? = nil) async throws
        -> ReceivedResponse
    {
        try await client.call(
            "POST",
            "\(addresses.url)/v1/projects/\(project)/messages:send",
            fields: ["authorization": "Bearer \(accessToken ?? self.accessToken)", "content-type": "application/json"],
            body: Array(body.utf8)
        )
    }
}
