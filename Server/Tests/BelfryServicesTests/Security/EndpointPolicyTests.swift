import BelfryModel
import BelfryPush
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryServices

struct EndpointPolicyTests {
    @Test(
        "SEC-5: a private, loopback, link-local or otherwise special address is refused",
        arguments: [
            "localhost", "localhost.", "api.localhost", "printer.local", "metadata.google.internal", "127.0.0.1",
            "127.0.0.1.", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
            "169.254.169.254", "100.64.0.1", "100.127.255.255", "198.18.0.1", "224.0.0.1", "255.255.255.255",
            // Other spellings of addresses.
            "2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "012.0.0.1", "1.2.3.4.5", "1.2.3.256",
            "::1", "0:0:0:0:0:0:0:1", "::", "fe80::1", "febf::1", "fc00::1", "fd12:3456::1", "ff02::1",
            "::ffff:127.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1", "::127.0.0.1", "2002:7f00:1::", "2001:0:1::1",
            "2001::1", "2001:db8::1", "3fff::1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "192.0.0.8",
            "fe80::1%lo", "::g",
        ]
    )
    func privateHosts(_ host: String) {
        #expect(EndpointPolicy.isPrivate(host))
    }

    @Test(
        "SEC-5: names and public addresses are allowed",
        arguments: [
            "api.push.apple.com", "api.sandbox.push.apple.com.", "example.com", "local.example.com", "1e100.net",
            "3a.de",
            "dead.beef", "17.188.143.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "223.255.255.255",
            "2606:4700::1111", "2a00:1450:4001:80b::200e", "2001:4860:4860::8888", "::ffff:17.188.143.1",
        ]
    )
    func publicHosts(_ host: String) {
        #expect(!EndpointPolicy.isPrivate(host))
    }

    @Test("SEC-5: a private endpoint is refused with its field, unless the operator allows it")
    func service() async throws {
        let world = try await ServiceWorld()
        let loopback = TestKeys.apns(endpoint: "https://127.0.0.1:8443")
        let sandbox = TestKeys.apns(sandboxEndpoint: "https://[::1]:8443")
        for (secret, field) in [(loopback, "endpoint"), (sandbox, "sandboxEndpoint")] {
            var rejected: String?
            do {
                try await world.apps.putAPNsCredentials(secret, app: world.app)
            } catch ServiceError.invalidFields(let error, let others) {
                rejected = error.field
                #expect(error.error.code == "privateAddress" && others.isEmpty)
            }
            #expect(rejected == field)
            let permissive = AppService(
                database: world.database, environment: world.environment, vault: CredentialVault(keys: world.keys),
                endpointPolicy: .anywhere
            )
            try await permissive.putAPNsCredentials(secret, app: world.app)
        }
    }

    @Test("SEC-7, SEC-5: a name is below a domain by its bytes, whatever mark precedes the dot")
    func marks() throws {
        let hosts = try #require(WebPushHosts("example.com"))
        for mark in HostileText.marks {
            let isPrivate = EndpointPolicy.isPrivate("x\(mark).localhost")
            let isLoopback = EndpointPolicy.isLoopback("x\(mark).localhost.")
            let isListed = hosts.lists("x\(mark).example.com")
            #expect(isPrivate && isLoopback && isListed, "\(mark.debugDescription)")
        }
    }

    @Test("ADM-2: credentials are refused with the invalid field, and nothing of the key is repeated")
    func wrongCredentials() async throws {
        let world = try await ServiceWorld()
        var wrong: [(String, CredentialVault.APNsSecret)] = []
        for field in ["teamId", "keyId", "topic", "privateKey", "endpoint", "trustRoots"] {
            var secret = TestKeys.apns()
            switch field {
            case "teamId": secret.teamID = "team"
            case "keyId": secret.keyID = "key"
            case "topic": secret.topic = "a topic"
            case "privateKey": secret.privateKey = "-----BEGIN PRIVATE KEY-----\nU0VDUkVU\n-----END PRIVATE KEY-----"
            case "endpoint": secret.endpoint = "http://example.com"
            default: secret.trustRoots = "none"
            }
            wrong.append((field, secret))
        }
        for (field, secret) in wrong {
            var rejected: String?
            do {
                try await world.apps.putAPNsCredentials(secret, app: world.app)
            } catch ServiceError.invalidFields(let error, let others) {
                rejected = error.field
                #expect(!error.error.message.contains("U0VDUkVU") && others.isEmpty)
            }
            #expect(rejected == field)
        }
    }

    @Test("SEC-5: loopback is allowed for operators, not for devices")
    func devices() {
        #expect(EndpointPolicy.loopback.forDevices == .publicOnly)
        #expect(EndpointPolicy.publicOnly.forDevices == .publicOnly)
        #expect(EndpointPolicy.anywhere.forDevices == .anywhere)
    }
}
