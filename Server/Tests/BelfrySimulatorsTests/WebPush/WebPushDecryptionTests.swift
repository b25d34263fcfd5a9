import BelfryTestSupport
import Foundation
import Testing

@testable import BelfrySimulators

@Suite("A simulated browser decrypts a push")
struct WebPushDecryptionTests {
    @Test("PUSH-3: the example of RFC 8291, section 5, is read")
    func example() throws {
        let keys = try #require(
            WebPushKeys(
                privateKey: Self.bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"),
                authenticationSecret: Self.bytes("BTBZMqHH6r4Tts7J_aSIgg")
            )
        )
        let publicKey =
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        #expect(SimulatorBase64URL.encode(keys.publicKey) == publicKey)
        let body = Self.bytes(
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK"
                + "6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
        let text = try WebPushDecryption.open(body, keys)
        #expect(String(decoding: text, as: UTF8.self) == "When I grow up, I want to be a watermelon")
    }

    @Test("PUSH-3: padding is removed, and an empty message is read")
    func padding() throws {
        let browser = try Recipient()
        var flaws = TestApplicationServer.Flaws()
        flaws.padding = 100
        for text in ["", "hello"] {
            let body = try browser.server.encrypt(Array(text.utf8), for: browser.subscription, flaws)
            let opened = try WebPushDecryption.open(body, browser.keys)
            #expect(opened == Array(text.utf8))
        }
    }

    @Test("PUSH-3: an unreadable message has a reason")
    func unreadable() throws {
        let browser = try Recipient()
        let good = try browser.server.encrypt(Array("hello".utf8), for: browser.subscription)
        var small = TestApplicationServer.Flaws()
        small.recordSize = 17
        var cut = TestApplicationServer.Flaws()
        cut.recordSize = 21
        var notLast = TestApplicationServer.Flaws()
        notLast.delimiter = 1
        var offCurve = good
        offCurve[30] ^= 1
        var changed = good
        changed[good.count - 20] ^= 1
        var badLength = good
        badLength[20] = 64
        let other = try Recipient(byte: 9)
        let expected: [([UInt8], WebPushKeys, WebPushSimulator.Unreadable)] = [
            (Array(good.prefix(60)), browser.keys, .badHeader),
            (badLength, browser.keys, .badHeader),
            (
                try browser.server.encrypt(Array("hello".utf8), for: browser.subscription, small), browser.keys,
                .badRecordSize
            ),
            (
                try browser.server.encrypt(Array("hello".utf8), for: browser.subscription, cut), browser.keys,
                .badRecordSize
            ),
            (offCurve, browser.keys, .badKey),
            (changed, browser.keys, .notAuthentic),
            (good, other.keys, .notAuthentic),
            (
                try browser.server.encrypt(Array("hello".utf8), for: browser.subscription, notLast), browser.keys,
                .badPadding
            ),
        ]
        for (body, keys, reason) in expected {
            #expect(throws: reason) { try WebPushDecryption.open(body, keys) }
        }
    }

    @Test("PUSH-3: a push that the browser cannot read is accepted, counted and shown")
    func counted() async throws {
        try await WebPushSimulation.run { simulation in
            let one = try simulation.subscribe()
            let other = try simulation.subscribe()
            let body = try simulation.server.encrypt(Array("for another".utf8), for: other)
            let response = try await simulation.post(body, to: one)
            #expect(response.status == 201)
            var browser = try simulation.simulator.pushes(for: one.id).makeAsyncIterator()
            let push = await browser.next()
            #expect(push?.payload == .unreadable(.notAuthentic))
            #expect(simulation.simulator.statistics.unreadable == 1)
        }
    }

    private static func bytes(_ text: String) -> [UInt8] {
        Array(Data(base64URL: text) ?? Data())
    }

    private struct Recipient {
        let keys: WebPushKeys
        let server: TestApplicationServer
        let subscription: WebPushSimulator.Subscription

        init(byte: UInt8 = 3) throws {
            keys = try #require(
                WebPushKeys(
                    privateKey: [UInt8](repeating: byte, count: 32),
                    authenticationSecret: [UInt8](repeating: byte, count: 16)
                )
            )
            server = try TestApplicationServer()
            subscription = WebPushSimulator.Subscription(
                id: "",
                endpoint: "",
                p256dh: base64URL(keys.publicKey),
                auth: base64URL(keys.authenticationSecret)
            )
        }
    }
}
