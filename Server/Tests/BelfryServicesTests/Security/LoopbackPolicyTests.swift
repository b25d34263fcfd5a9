import BelfryModel
import BelfryPush
import Testing

@testable import BelfryServices

@Suite("Endpoints of a server on loopback")
struct LoopbackPolicyTests {
    @Test(
        "SEC-5: a server on loopback may send to loopback, and to no other private address",
        arguments: [
            ("127.0.0.1", true), ("127.1.2.3", true), ("localhost", true), ("localhost.", true), ("a.localhost", true),
            ("::1", true), ("api.push.apple.com", true), ("17.188.143.1", true),
            ("10.0.0.1", false), ("192.168.1.1", false), ("169.254.169.254", false), ("0.0.0.0", false),
            ("metadata.google.internal", false), ("printer.local", false), ("fe80::1", false), ("fd12::1", false),
            // Spellings that resolvers read differently.
            ("127.1", false), ("2130706433", false), ("0x7f000001", false), ("0177.0.0.1", false),
        ]
    )
    func loopback(host: String, isAllowed: Bool) {
        #expect(EndpointPolicy.loopback.allows(host) == isAllowed)
        #expect(EndpointPolicy.anywhere.allows(host))
        #expect(EndpointPolicy.publicOnly.allows(host) == !EndpointPolicy.isPrivate(host))
    }

    @Test(
        "SEC-5, CLI-2: by default the address to listen on decides",
        arguments: [
            ("127.0.0.1", EndpointPolicy.loopback), ("::1", .loopback), ("localhost", .loopback),
            ("0.0.0.0", .publicOnly), ("::", .publicOnly), ("10.0.0.5", .publicOnly), ("example.com", .publicOnly),
        ] as [(String, EndpointPolicy)]
    )
    func standard(host: String, expected: EndpointPolicy) {
        #expect(EndpointPolicy.standard(listeningOn: host) == expected)
    }

    @Test("SEC-5: a private endpoint beyond loopback is refused with its field on such a server too")
    func service() async throws {
        let world = try await ServiceWorld()
        let apps = AppService(
            database: world.database, environment: world.environment, vault: CredentialVault(keys: world.keys),
            endpointPolicy: .loopback
        )
        try await apps.putAPNsCredentials(TestKeys.apns(endpoint: "https://127.0.0.1:8443"), app: world.app)
        let metadata = TestKeys.apns(endpoint: "https://169.254.169.254")
        #expect(await errorCode { try await apps.putAPNsCredentials(metadata, app: world.app) } == "privateAddress")
    }
}
