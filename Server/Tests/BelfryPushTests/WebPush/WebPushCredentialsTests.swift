import BelfryModel
import BelfryPush
import BelfryTestSupport
import Crypto
import Foundation
import Testing

struct WebPushCredentialsTests {
    @Test("PUSH-3: a VAPID key is read in each common format, and its public half is returned for the page")
    func forms() throws {
        let key = try Fixtures.key()
        let raw = base64URL(key.rawRepresentation)
        // SEC 1 (RFC 5915) as OpenSSL writes it: version, number, curve.
        let sec1: [UInt8] =
            [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + key.rawRepresentation
            + [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        let curve = Fixtures.pem("EC PARAMETERS", [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07])
        let forms = [
            raw, raw + "=", " \(raw)\n", key.pemRepresentation, Fixtures.pem("EC PRIVATE KEY", sec1),
            curve + Fixtures.pem("EC PRIVATE KEY", sec1),
        ]
        for form in forms {
            let credentials = try WebPushCredentials(subject: "mailto:push@example.com", privateKey: form)
            #expect(credentials.privateKey.rawRepresentation == key.rawRepresentation)
            #expect(credentials.publicKey == base64URL(key.publicKey.x963Representation))
        }
    }

    @Test("PUSH-3: an invalid VAPID key is refused, and the field is named")
    func badKeys() throws {
        let der = try Array(Fixtures.key().derRepresentation)
        let keys = [
            "", "garbage", base64URL(try Fixtures.key().publicKey.x963Representation),
            base64URL(Array(1...31)), base64URL([UInt8](repeating: 0, count: 32)),
            base64URL([UInt8](repeating: 0xff, count: 32)), P384.Signing.PrivateKey().pemRepresentation,
            Fixtures.pem("ENCRYPTED PRIVATE KEY", der), Fixtures.pem("CERTIFICATE", der),
            Fixtures.pem("PRIVATE KEY", Array(der.dropLast(90))), try Fixtures.key().publicKey.pemRepresentation,
            String(repeating: "x", count: 20_000),
        ]
        for key in keys {
            let field = rejectedField { try WebPushCredentials(subject: "mailto:a@b.example", privateKey: key) }
            #expect(field == "privateKey", "\(key.prefix(60))")
        }
    }

    @Test("PUSH-3: a subject is a mail or web address")
    func subjects() throws {
        for subject in ["mailto:push@example.com", "https://example.com", "https://example.com/contact?a=b"] {
            #expect(try Fixtures.webPushCredentials(subject: subject).subject == subject)
        }
        let wrong = [
            "", "push@example.com", "mailto:", "mailto:push", "mailto:@b", "mailto:a@", "mailto:a@b@c",
            "mailto: push@example.com", "mailto:<push@example.com>", "mailto:\"x\"@b", "http://example.com", "https://",
            "https://user@example.com", "https://example.com/\"", "mailto:a\\@b", "mailto:é@b",
            "mailto:" + String(repeating: "a", count: 255) + "@b",
        ]
        for subject in wrong {
            #expect(rejectedField { try Fixtures.webPushCredentials(subject: subject) } == "subject", "\(subject)")
        }
    }

    @Test("ADM-3: all invalid fields are named at once")
    func allFaults() throws {
        let errors = WebPushCredentials.errors(subject: "nobody", privateKey: "nothing", trustRoots: "none")
        #expect(errors.map(\.field) == ["subject", "privateKey", "trustRoots"])
        let key = base64URL(try Fixtures.key().rawRepresentation)
        #expect(WebPushCredentials.errors(subject: "mailto:a@b.example", privateKey: key).isEmpty)
    }

    @Test("SEC-3: a description does not contain the private key")
    func description() throws {
        let credentials = try Fixtures.webPushCredentials()
        let raw = base64URL(credentials.privateKey.rawRepresentation)
        #expect("\(credentials)".contains(credentials.publicKey))
        #expect(!"\(credentials)".contains(raw))
    }

    @Test("REG-33: another key pair reaches other subscriptions, another subject the same")
    func reach() throws {
        let credentials = try Fixtures.webPushCredentials()
        #expect(credentials.reachesTheSameDevices(as: try Fixtures.webPushCredentials(subject: "https://example.org")))
        let other = base64URL(P256.Signing.PrivateKey().rawRepresentation)
        #expect(!credentials.reachesTheSameDevices(as: try Fixtures.webPushCredentials(privateKey: other)))
    }
}
