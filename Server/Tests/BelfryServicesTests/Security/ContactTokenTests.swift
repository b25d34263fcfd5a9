import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryTestSupport
import Crypto
import Foundation
import Testing

@testable import BelfryServices

struct ContactTokenTests {
    private static let keys = TestKeys.server()
    private static let client = "6c9c4f0a-5d6b-4b2e-9b7e-0c5a2e0f2a11"

    private static func token(device: Int64 = 7, generation: Int64 = 2, epoch: Int64 = 0) -> ContactToken {
        ContactToken(
            app: "shop", clientID: client, device: device, generation: generation, epoch: epoch,
            expiresAt: ServiceWorld.epoch.addingTimeInterval(ContactToken.lifetime)
        )
    }

    private static func read(_ text: String) -> ContactToken? {
        try? ContactToken(verifyingSignatureOf: text, with: keys)
    }

    /// A token whose signature is right, whatever it says.
    private static func signed(header: String, claims: String) -> String {
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        let mac = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: keys.contactToken)
        return signed + "." + Base64URL.encode(Array(mac))
    }

    private static let header = #"{"alg":"HS256","kid":"\#(keys.keyID)","typ":"JWT"}"#

    @Test("WIRE-20: a token is read as it was signed, with any numbers", arguments: 0..<UInt64(4))
    func roundTrip(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let letters = Array("abcXYZ019-_.")
        for _ in 0..<200 {
            let app = (0..<Int.random(in: 1...64, using: &dice)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &dice)]
            }
            let token = ContactToken(
                app: String(app), clientID: Self.client.uppercased(),
                device: Int64.random(in: Int64.min...Int64.max, using: &dice),
                generation: Int64.random(in: -1...Int64.max, using: &dice),
                epoch: Bool.random(using: &dice) ? 0 : Int64.random(in: 1...Int64.max, using: &dice),
                expiresAt: Date(timeIntervalSince1970: Double(Int64.random(in: 0...1 << 50, using: &dice)))
            )
            let text = token.signed(with: Self.keys)
            #expect(Self.read(text) == token)
            #expect(token.clientID == Self.client && text.utf8.count <= ContactToken.maximumLength)
        }
    }

    @Test("WIRE-20: no byte of a token can be changed, left out or added", arguments: 0..<UInt64(2))
    func changed(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let text = Array(Self.token().signed(with: Self.keys).utf8)
        #expect(Self.read(String(decoding: text, as: UTF8.self)) == Self.token())
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ".utf8)
        for place in text.indices {
            var spoiled: [[UInt8]] = []
            // All of the last letter's spellings that mean the same bytes are among them.
            let others = place == text.count - 1 ? letters : Array(letters.shuffled(using: &dice).prefix(6))
            for letter in others where letter != text[place] {
                var changed = text
                changed[place] = letter
                spoiled.append(changed)
            }
            var shorter = text
            shorter.remove(at: place)
            var longer = text
            longer.insert(text[place], at: place)
            for other in spoiled + [shorter, longer] {
                #expect(Self.read(String(decoding: other, as: UTF8.self)) == nil, "at \(place)")
            }
        }
        for tail in ["=", "==", "A", ".", " "] {
            #expect(Self.read(String(decoding: text, as: UTF8.self) + tail) == nil, "\(tail)")
        }
    }

    @Test("WIRE-20: claims of another shape are invalid, even with a valid signature")
    func otherShapes() {
        let good = #"{"app":"shop","dev":7,"exp":1795291200,"gen":2,"sub":"\#(Self.client)"}"#
        #expect(Self.read(Self.signed(header: Self.header, claims: good)) == Self.token())
        let wrong = [
            "", "{}", "null", String(good.dropLast()), good + " ", " " + good, good.replacing("\"dev\":7,", with: ""),
            good.replacing(":7,", with: ":7.0,"), good.replacing(":7,", with: ":\"7\","),
            good.replacing(":7,", with: ":,"),
            good.replacing(":7,", with: ":1-2,"), good.replacing(":7,", with: ":9223372036854775808,"),
            good.replacing(":7,", with: ":+7,"), good.replacing("\"shop\"", with: #""sh\"op""#),
            good.replacing("\"shop\"", with: "7"), good.replacing(",", with: ", "),
            good.replacing("}", with: ",\"a\":1}"),
            good.replacing("{\"app\"", with: "{\"alg\":\"none\",\"app\""),
            #"{"dev":7,"app":"shop","exp":1795291200,"gen":2,"sub":"\#(Self.client)"}"#,
        ]
        for claims in wrong {
            #expect(Self.read(Self.signed(header: Self.header, claims: claims)) == nil, "\(claims)")
        }
    }

    @Test("WIRE-20: another header, algorithm or key id is refused, even with a valid signature")
    func otherHeaders() {
        let claims = #"{"app":"shop","dev":7,"exp":1795291200,"gen":2,"sub":"\#(Self.client)"}"#
        for header in [
            "", "{}", #"{"alg":"none"}"#, Self.header.replacing("HS256", with: "none"),
            Self.header.replacing("HS256", with: "HS512"), Self.header.replacing(Self.keys.keyID, with: "00000000"),
            Self.header + " ", Self.header.replacing("}", with: #","crit":["x"]}"#),
        ] {
            #expect(Self.read(Self.signed(header: header, claims: claims)) == nil, "\(header)")
        }
        for text in ["", ".", "..", "...", "a.b.c", String(repeating: "A", count: 2_000)] {
            #expect(Self.read(text) == nil, "\(text.prefix(9))")
        }
    }

    @Test("WIRE-20, WIRE-22: for a cached token everything else is checked again")
    func remembered() async throws {
        let world = try await ServiceWorld()
        let authentication = world.authentication
        let device = try await ServiceDevice.started(world, 1)
        for _ in 0..<2 { _ = try authentication.authenticate(device.caller()) }
        var other = device.caller()
        other.client = try ServiceWorld.client(2)
        #expect(await errorCode { try authentication.authenticate(other) } == "contactTokenInvalid")
        var elsewhere = device.caller()
        elsewhere.app = try await world.apps.create(code: "other", name: "Other").app
        #expect(await errorCode { try authentication.authenticate(elsewhere) } == "contactTokenInvalid")
        world.clock.advance(by: ContactToken.lifetime)
        #expect(await errorCode { try authentication.authenticate(device.caller()) } == "contactTokenExpired")
    }

    @Test("SEC-2: tokens beyond the cache are checked like the first")
    func forgotten() throws {
        let tokens = VerifiedTokens()
        for number in 0...VerifiedTokens.maximumCount {
            tokens.insert(Self.token(device: Int64(number)), as: "\(number)")
        }
        #expect(tokens.find("0") == nil)
        #expect(tokens.find("\(VerifiedTokens.maximumCount)")?.device == Int64(VerifiedTokens.maximumCount))
    }
}
