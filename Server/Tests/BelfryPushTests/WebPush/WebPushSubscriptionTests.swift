import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryTestSupport
import Crypto
import Foundation
import Testing

struct WebPushSubscriptionTests {
    private static let secret = "AQIDBAUGBwgJCgsMDQ4PEA"
    private static let key =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

    private static let endpoints: [(url: String, origin: String, path: String)] = [
        ("https://fcm.googleapis.com/fcm/send/a:b-c_d", "https://fcm.googleapis.com", "/fcm/send/a:b-c_d"),
        (
            "https://updates.push.services.mozilla.com/wpush/v2/gAAA=", "https://updates.push.services.mozilla.com",
            "/wpush/v2/gAAA="
        ),
        ("https://web.push.apple.com/QL%2Fx", "https://web.push.apple.com", "/QL%2Fx"),
        ("https://wns2.notify.windows.com/w/?token=BQ%2f%3d", "https://wns2.notify.windows.com", "/w/?token=BQ%2f%3d"),
        ("HTTPS://Push.Example.com:8443/a?b=/c", "https://push.example.com:8443", "/a?b=/c"),
        ("https://push.example.com:443", "https://push.example.com", "/"),
        ("https://push.example.com?q=1", "https://push.example.com", "/?q=1"),
        ("https://[2001:db8::1]:9/x", "https://[2001:db8::1]:9", "/x"),
    ]

    @Test("PUSH-3: an endpoint is split into where to connect and what to request", arguments: endpoints)
    func endpoint(_ row: (url: String, origin: String, path: String)) throws {
        let subscription = try WebPushSubscription(token: Self.token(endpoint: row.url))
        #expect(subscription.endpoint.description == row.origin)
        #expect(subscription.path == row.path)
    }

    @Test(
        "SEC-5: only https, without user and fragment, and nothing that breaks a request",
        arguments: [
            "", "push.example.com/a", "http://push.example.com/a", "ftp://push.example.com/a", "https://", "https:///a",
            "https://user@push.example.com/a", "https://user:pass@push.example.com/a", "https://push.example.com/a#b",
            "https://push.example.com#b", "https://push.example.com:0/a", "https://push.example.com:65536/a",
            "https://push.example.com:/a", "https://push.example.com:80x/a", "https://pu sh.example.com/a",
            "https://push.example.com/a b", "https://push.example.com/\\r\\nx: y", "https://push.example.com/\\\"",
            "https://push.example.com/é", "https://pùsh.example.com/a", "https://push.example.com\\\\@evil.example/a",
            "https://[::1/a", "https://::1/a", "//push.example.com/a", "javascript://push.example.com/a",
            " https://push.example.com/a", "https://push.example.com/" + String(repeating: "a", count: 4_096),
        ]
    )
    func badEndpoint(_ url: String) {
        #expect(throws: ValueError.self) { try WebPushSubscription(token: Self.token(endpoint: url)) }
    }

    @Test("PUSH-3: a browser's key is a point on the curve, and its secret has 16 bytes; else they are refused")
    func badKeys() throws {
        let point = try DecryptingBrowser.bytes(Self.key)
        let compressed = try P256.KeyAgreement.PublicKey(x963Representation: point).compressedRepresentation
        let offCurve = point.dropLast() + [point[64] ^ 1]
        let keys = [
            "", "AA", "*", Self.key + "AA", base64URL(offCurve), base64URL(compressed),
            base64URL(point.dropFirst()), base64URL([UInt8](repeating: 0, count: 65)),
            base64URL([5] + point.dropFirst()),
        ]
        for key in keys {
            #expect(throws: ValueError.self, "\(key)") { try WebPushSubscription(token: Self.token(key: key)) }
        }
        for secret in ["", "AA", "AQIDBAUGBwgJCgsMDQ4P", Self.secret + "EA", "AQIDBAUGBwgJCgsMDQ4P!A"] {
            #expect(throws: ValueError.self, "\(secret)") { try WebPushSubscription(token: Self.token(secret: secret)) }
        }
    }

    @Test("PUSH-3: plain base64 with padding is read as well, and other members are ignored")
    func tolerance() throws {
        let plain = Self.key.replacing("-", with: "+").replacing("_", with: "/") + "="
        let token =
            #"{"endpoint":"https://push.example.com/a","expirationTime":null,"#
            + #""keys":{"p256dh":"\#(plain)","auth":"\#(Self.secret)==","x":1}}"#
        #expect(try WebPushSubscription(token: token).path == "/a")
    }

    @Test("PUSH-21: any text of a device is a valid subscription or refused", arguments: 1...3)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let token = Array(Self.token().utf8)
        for _ in 0..<300 {
            var bytes = token
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let subscription = try? WebPushSubscription(token: text) else { continue }
            try #require(subscription.path.utf8.allSatisfy { (0x21...0x7e).contains($0) })
            try #require(subscription.path.hasPrefix("/"))
        }
        for text in [
            "", "{}", "null", "[]", "abc", #"{"endpoint":"https://a/b"}"#, String(repeating: "[", count: 9_000),
        ] {
            #expect(throws: ValueError.self) { try WebPushSubscription(token: text) }
        }
    }

    @Test("SEC-3: neither an error nor a description contains the endpoint's path or a key")
    func secrets() throws {
        let subscription = try WebPushSubscription(token: Self.token(endpoint: "https://push.example.com/secret"))
        #expect("\(subscription)" == "Web Push subscription at push.example.com")
        let tokens = [
            Self.token(endpoint: "http://push.example.com/secret"), Self.token(endpoint: "https://a/secret#"),
            Self.token(key: "secret"), Self.token(secret: "secret"),
        ]
        for token in tokens {
            let error = #expect(throws: ValueError.self) { try WebPushSubscription(token: token) }
            #expect(error?.message.contains("secret") == false)
        }
    }

    private static func token(
        endpoint: String = "https://push.example.com/a", key: String = key, secret: String = secret
    ) -> String {
        #"{"endpoint":"\#(endpoint)","keys":{"auth":"\#(secret)","p256dh":"\#(key)"}}"#
    }
}
