import BelfryModel
import BelfryPush
import Crypto
import Foundation
import Testing

struct APNsCredentialsTests {
    @Test("PUSH-1: credentials are parsed; the default endpoints are Apple's")
    func standardEndpoints() throws {
        let credentials = try Fixtures.credentials()
        #expect(credentials.teamID == "TEAM123456")
        #expect(credentials.keyID == "KEY1234567")
        #expect(credentials.topic == "com.example.app")
        #expect(try credentials.privateKey.rawRepresentation == Fixtures.key().rawRepresentation)
        #expect(credentials.endpoint(for: .production).authority == "api.push.apple.com")
        #expect(credentials.endpoint(for: .sandbox).authority == "api.sandbox.push.apple.com")
        #expect(credentials.endpoint(for: .sandbox).port == 443)
        #expect(credentials.trustRoots.isEmpty)
    }

    @Test("PUSH-1: custom endpoints and trust roots are used")
    func ownEndpoints() throws {
        let root = Fixtures.pem("CERTIFICATE", [0x30, 0x03, 0x02, 0x01, 0x05])
        let credentials = try Fixtures.credentials(
            endpoint: "https://127.0.0.1:8443/",
            sandboxEndpoint: "HTTPS://[::1]:2197",
            trustRoots: "a comment\n" + root + root
        )
        let production = credentials.endpoint(for: .production)
        #expect(production.host == "127.0.0.1")
        #expect(production.port == 8443)
        #expect(production.authority == "127.0.0.1:8443")
        let sandbox = credentials.endpoint(for: .sandbox)
        #expect(sandbox.host == "::1")
        #expect(sandbox.port == 2197)
        #expect(sandbox.authority == "[::1]:2197")
        #expect(credentials.trustRoots == [root, root])
    }

    @Test(
        "PUSH-1: a bad endpoint is refused and named",
        arguments: [
            "", "http://api.push.apple.com", "api.push.apple.com", "https://", "https:///", "https://host/path",
            "https://host?query", "https://host#part", "https://user@host", "https://host:0", "https://host:65536",
            "https://host:", "https://host:+443", "https://host:4 43", "https://a b", "https://hôte", "https://::1",
            "https://[::1", "https://[host]", "https://[::1]x", "https://host\r\nx: y",
            "https://" + String(repeating: "a", count: 600),
        ]
    )
    func badEndpoint(_ raw: String) throws {
        #expect(rejectedField { try Fixtures.credentials(endpoint: raw) } == "endpoint")
        #expect(rejectedField { try Fixtures.credentials(sandboxEndpoint: raw) } == "sandboxEndpoint")
    }

    @Test("PUSH-1: a bad team id, key id or topic is refused and named")
    func badNames() throws {
        for id in ["", "TEAM12345", "TEAM1234567", "team123456", "TEAM12345é", "TEAM 12345", "TEAM12345\n"] {
            #expect(rejectedField { try Fixtures.credentials(teamID: id) } == "teamId", "\(id)")
            #expect(rejectedField { try Fixtures.credentials(keyID: id) } == "keyId", "\(id)")
        }
        for topic in ["", "com example", "com.exämple", "a\r\nb: c", String(repeating: "a", count: 256)] {
            #expect(rejectedField { try Fixtures.credentials(topic: topic) } == "topic", "\(topic)")
        }
    }

    @Test("PUSH-1: bad trust roots are refused and named")
    func badTrustRoots() throws {
        let roots = [
            "", "no PEM", Fixtures.pem("PUBLIC KEY", [0x30, 0x00]), Fixtures.pem("CERTIFICATE", [0x01, 0x02]),
            "-----BEGIN CERTIFICATE-----\nMAA=", "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----",
            String(repeating: Fixtures.pem("CERTIFICATE", [0x30, 0x00]), count: 65),
        ]
        for root in roots {
            #expect(rejectedField { try Fixtures.credentials(trustRoots: root) } == "trustRoots", "\(root.prefix(80))")
        }
    }

    @Test("PUSH-1: a description of credentials shows no key")
    func description() throws {
        let credentials = try Fixtures.credentials()
        #expect(credentials.description == "APNs credentials of com.example.app, key KEY1234567")
    }
}
