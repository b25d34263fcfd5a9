import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryTestSupport
import Crypto
import CryptoExtras
import Foundation
import Testing

struct FCMCredentialsTests {
    @Test("SEC-7, PUSH-2: an endpoint is divided by its bytes, whatever mark is beside a delimiter")
    func markedEndpoints() {
        for mark in HostileText.marks {
            for text in [
                "https://\(mark)push.example.com", "https://push.example.com:\(mark)443", "https://[\(mark)::1]",
                "https://push.example.com\(mark)/",
            ] {
                let code = valueErrorCode { try PushEndpoint(text) }
                #expect(code == "invalidEndpoint", "\(text.debugDescription)")
            }
        }
    }

    @Test("PUSH-2: a service account is read; the default endpoint is Google's")
    func serviceAccount() throws {
        // A field that nobody reads may be no text.
        let credentials = try FCMCredentials(serviceAccount: ServiceAccountFile.json("a_number", 7))
        #expect(credentials.projectID == "shop-4711")
        #expect(credentials.clientEmail == "push@shop-4711.iam.gserviceaccount.com")
        #expect(credentials.privateKeyID == "0123456789abcdef0123456789abcdef01234567")
        #expect(credentials.tokenURI.url == "https://oauth2.googleapis.com/token")
        #expect(credentials.endpoint.authority == "fcm.googleapis.com")
        #expect(credentials.trustRoots.isEmpty)
        let own = try FCMCredentials(
            serviceAccount: ServiceAccountFile.json(["private_key_id": nil, "project_id": "example.com:app"]),
            endpoint: "https://127.0.0.1:8443", trustRoots: Fixtures.pem("CERTIFICATE", [0x30, 0x00])
        )
        #expect(own.privateKeyID == nil)
        #expect(own.projectID == "example.com:app")
        #expect(own.endpoint.port == 8443)
        #expect(own.trustRoots.count == 1)
        let pkcs1 = ServiceAccountFile.json(["private_key": try ServiceAccountFile.key.pemRepresentation])
        #expect(try FCMCredentials(serviceAccount: pkcs1).projectID == "shop-4711")
    }

    @Test("PUSH-2: a field that is missing or not a text is refused, and named")
    func missingFields() throws {
        for name in ["type", "project_id", "client_email", "private_key", "token_uri"] {
            for value in [nil, "", 7, NSNull(), ["x"]] as [Any?] {
                let json = try ServiceAccountFile.json(name, value)
                #expect(
                    rejectedField { try FCMCredentials(serviceAccount: json) } == "serviceAccount.\(name)", "\(json)")
                #expect(FCMCredentials.errors(serviceAccount: json).map(\.field) == ["serviceAccount.\(name)"])
            }
        }
    }

    @Test("PUSH-2: an invalid field is refused, and named")
    func wrongFields() throws {
        let der = try Array(Fixtures.key().derRepresentation)
        let weak = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1_024)).pkcs8PEMRepresentation
        let (whole, publicKey) = (ServiceAccountFile.privateKey, try ServiceAccountFile.key.publicKey)
        let table: [(name: String, values: [String])] = [
            ("type", ["authorized_user", "external_account", "Service_Account"]),
            ("project_id", ["a b", "a/b", "..", "é", "a\"b", "a?b", String(repeating: "a", count: 256)]),
            ("client_email", ["nobody", "a @b", "a\"@b", "a\\@b", String(repeating: "a", count: 256) + "@b"]),
            ("private_key_id", ["a b", "a\"b", String(repeating: "a", count: 256)]),
            (
                "private_key",
                [
                    "garbage", try Fixtures.key().pemRepresentation, weak, Fixtures.pem("PRIVATE KEY", der),
                    Fixtures.pem("PRIVATE KEY", [0x30, 0x00]), Fixtures.pem("CERTIFICATE", der),
                    Fixtures.pem("ENCRYPTED PRIVATE KEY", der), whole.replacingOccurrences(of: "-----END", with: "END"),
                    publicKey.pemRepresentation,
                ]
            ),
            (
                "token_uri",
                [
                    "oauth2.googleapis.com/token", "http://oauth2.googleapis.com/token", "ftp://a/token",
                    "https://user@a/token", "https://a/token#x", "https://a/to ken", "https://a/\"", "https://",
                    "http://127.0.0.1.example.com/token", "http://10.0.0.1/token", "http://0127.0.0.1x/token",
                ]
            ),
        ]
        for (name, values) in table {
            for value in values {
                let json = ServiceAccountFile.json([name: value])
                let field = rejectedField { try FCMCredentials(serviceAccount: json) }
                #expect(field == "serviceAccount.\(name)", "\(value.prefix(60))")
                #expect(FCMCredentials.errors(serviceAccount: json).map(\.field) == ["serviceAccount.\(name)"])
            }
        }
    }

    @Test("PUSH-2: a text that is not a JSON object is refused", arguments: ["", "{", "[]", "null", "\"x\"", "7"])
    func noObject(_ json: String) {
        #expect(rejectedField { try FCMCredentials(serviceAccount: json) } == "serviceAccount")
        let errors = FCMCredentials.errors(serviceAccount: json, endpoint: "http://x", trustRoots: "x")
        #expect(errors.map(\.field) == ["serviceAccount", "endpoint", "trustRoots"])
        let large = ServiceAccountFile.json(["x": String(repeating: "x", count: 70_000)])
        #expect(rejectedField { try FCMCredentials(serviceAccount: large) } == "serviceAccount")
    }

    @Test("ADM-3: all invalid fields are named at once")
    func allFaults() {
        let file = ServiceAccountFile.json([
            "type": nil, "project_id": nil, "private_key": "x", "client_email": "x", "private_key_id": "",
            "token_uri": "x",
        ])
        let names = ["type", "project_id", "client_email", "private_key_id", "private_key", "token_uri"]
        let errors = FCMCredentials.errors(serviceAccount: file)
        #expect(errors.map(\.field) == names.map { "serviceAccount.\($0)" })
        #expect(FCMCredentials.errors(serviceAccount: ServiceAccountFile.json()).isEmpty)
    }

    @Test("SEC-5: without TLS an access token is requested only on loopback")
    func plainTokenURI() throws {
        for url in ["http://127.0.0.1:8081/token", "http://localhost:8081/token", "http://[::1]:8081/token?a=b"] {
            let json = ServiceAccountFile.json(["token_uri": url])
            let uri = try FCMCredentials(serviceAccount: json).tokenURI
            #expect(!uri.isSecure)
            #expect(uri.url == url)
            #expect(uri.port == 8081)
        }
        let uri = try TokenURI("https://Example.com/a/token?b")
        #expect(uri.isSecure && uri.host == "example.com" && uri.port == 443 && uri.path == "/a/token?b")
        #expect(try TokenURI("http://localhost").port == 80)
    }

    @Test(
        "SEC-5: what only looks like an address of this machine gets no secret without TLS",
        arguments: [
            "127.0000.3...1", "127.0.0", "127.0.0.1.", "127..0.1", "127.0.0.01", "127.0.0.256", "0127.0.0.1", "127.1",
            "127.0.0.1.example.com", "evil-localhost", "127.0.0.1x",
        ]
    )
    func disguisedTokenURI(_ host: String) {
        #expect(throws: ValueError.self) { try TokenURI("http://\(host)/token") }
    }

    @Test("SEC-3: neither a description nor an error contains the key")
    func secrets() throws {
        let credentials = try FCMCredentials(serviceAccount: ServiceAccountFile.json())
        #expect(
            "\(credentials)"
                == "FCM credentials of push@shop-4711.iam.gserviceaccount.com, project shop-4711"
        )
        let request = try credentials.accessTokenRequest(now: Fixtures.now)
        #expect("\(request)" == "access token request to https://oauth2.googleapis.com/token")
        let json = ServiceAccountFile.json(["private_key": "my secret key"])
        let errors = FCMCredentials.errors(serviceAccount: json)
        #expect(!errors.isEmpty && errors.allSatisfy { !"\($0)".contains("my secret key") })
    }

    @Test("REG-33: another project reaches other devices, another key of the same project the same")
    func reach() throws {
        let credentials = try FCMCredentials(serviceAccount: ServiceAccountFile.json())
        let otherKey = ServiceAccountFile.json(["private_key_id": "k2", "client_email": "other@x.example"])
        #expect(credentials.reachesTheSameDevices(as: try FCMCredentials(serviceAccount: otherKey)))
        let project = ServiceAccountFile.json(["project_id": "another"])
        #expect(!credentials.reachesTheSameDevices(as: try FCMCredentials(serviceAccount: project)))
    }
}
