import Testing

@testable import BelfrySimulators

@Suite("Registration tokens of the FCM simulator")
struct FCMTokenTextTests {
    @Test("PUSH-2: a token identifies its device; with any character changed it is invalid")
    func changes() throws {
        var random = SimulatorRandom(seed: 11)
        for _ in 0..<20 {
            let key = DeviceTokenKey(random.next(), random.next(), random.next(), random.next())
            let text = FCMTokenText.text(of: key)
            #expect(text.utf8.count == 152)
            #expect(FCMTokenText.key(of: text) == key)
            for place in 0..<152 {
                var characters = Array(text.utf8)
                characters[place] = characters[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                #expect(FCMTokenText.key(of: String(decoding: characters, as: UTF8.self)) == nil)
            }
        }
    }
}
