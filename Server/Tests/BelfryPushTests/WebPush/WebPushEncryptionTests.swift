import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryTestSupport
import Crypto
import Foundation
import Testing

struct WebPushEncryptionTests {
    /// RFC 8291 §5 and appendix A.
    private enum Example {
        static let plaintext = "When I grow up, I want to be a watermelon"
        static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
        static let receiverPublic =
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        static let receiverPrivate = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
        static let senderPrivate = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
        static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
        static let body =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
            + "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    }

    @Test("PUSH-3: the example of RFC 8291 is encrypted to exactly its bytes")
    func example() throws {
        let token =
            #"{"endpoint":"https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV","#
            + #""keys":{"auth":"\#(Example.secret)","p256dh":"\#(Example.receiverPublic)"}}"#
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: DecryptingBrowser.bytes(Example.senderPrivate))
        let keys = try #require(EphemeralKeys(privateKey: key, salt: try DecryptingBrowser.bytes(Example.salt)))
        let subscription = try WebPushSubscription(token: token)
        let body = try WebPushEncryption.body(of: Array(Example.plaintext.utf8), for: subscription, keys: keys)
        #expect(base64URL(body) == Example.body)
    }

    @Test("PUSH-3: the tests' own browser decrypts the example of RFC 8291, so it is a valid check")
    func witness() throws {
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: DecryptingBrowser.bytes(Example.receiverPrivate))
        let browser = DecryptingBrowser(privateKey: key, secret: try DecryptingBrowser.bytes(Example.secret))
        let message = try browser.decrypt(DecryptingBrowser.bytes(Example.body))
        #expect(String(decoding: message, as: UTF8.self) == Example.plaintext)
    }

    @Test("PUSH-3: only the right browser decrypts its message, byte by byte", arguments: 1...4)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let browser = DecryptingBrowser()
        let other = DecryptingBrowser(secret: browser.secret)
        let subscription = try browser.subscription()
        for size in [0, 1, 15, 16, 17, 3_993, Int.random(in: 0...3_993, using: &random)] {
            let message = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let keys = Fixtures.ephemeralKeys(using: &random)
            let body = try WebPushEncryption.body(of: message, for: subscription, keys: keys)
            #expect(body.count == size + 103)
            #expect(try browser.decrypt(body) == message)
            #expect(throws: (any Error).self) { try other.decrypt(body) }
        }
    }

    @Test("PUSH-3: 3,993 bytes make a body of 4,096, which every service accepts; one more is refused with its number")
    func limit() throws {
        let subscription = try DecryptingBrowser().subscription()
        let full = [UInt8](repeating: 0x20, count: 3_993)
        #expect(try WebPushEncryption.body(of: full, for: subscription, keys: Fixtures.ephemeralKeys()).count == 4_096)
        #expect(throws: PushRequestError.payloadTooLarge(bytes: 3_994)) {
            try WebPushEncryption.body(of: full + [0x20], for: subscription, keys: Fixtures.ephemeralKeys())
        }
    }

    @Test("PUSH-3: each message has its own key pair and salt, from the given randomness")
    func ephemeralKeys() throws {
        var random = SeededGenerator(seed: 3)
        var again = SeededGenerator(seed: 3)
        let subscription = try DecryptingBrowser().subscription()
        var bodies: Set<[UInt8]> = []
        for _ in 0..<50 {
            let body = try WebPushEncryption.body(
                of: [1], for: subscription, keys: Fixtures.ephemeralKeys(using: &random)
            )
            let same = try WebPushEncryption.body(
                of: [1], for: subscription, keys: Fixtures.ephemeralKeys(using: &again)
            )
            #expect(body == same)
            bodies.insert(Array(body.prefix(86)))
        }
        #expect(bodies.count == 50)
        // Numbers that are not private keys (0, and those beyond the order of the curve) still give one.
        for byte in [UInt8(0), 0xff] {
            let keys = EphemeralKeys { Array(repeating: byte, count: $0) }
            #expect(try WebPushEncryption.body(of: [1], for: subscription, keys: keys).count == 104)
        }
        #expect(EphemeralKeys(privateKey: P256.KeyAgreement.PrivateKey(), salt: [1, 2, 3]) == nil)
    }
}
