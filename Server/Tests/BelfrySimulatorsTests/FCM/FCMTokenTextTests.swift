import Testing

@testable import BelfrySimulators

@Suite("Registration tokens of the FCM simulator")
struct FCMTokenTextTests {
    @Test("PUSH-2: a Firebase installation id identifies its device, and no registration token looks like one")
    func installationIDs() {
        let source = RandomSource(SimulatorRandom(seed: 12))
        for _ in 0..<20 {
            let key = FCMInstallationID.key(source.bytes())
            let text = FCMAddress.text(of: key)
            #expect(text.utf8.count == 22)
            #expect(FCMInstallationID.key(of: text) == key && FCMAddress.key(of: text) == key)
            #expect(FCMTokenText.key(of: text) == nil)
            let token = FCMAddress.text(of: source.deviceToken())
            #expect(token.utf8.count == 152 && FCMInstallationID.key(of: token) == nil)
        }
        for text in ["", "cIBFn0zWRz6HdXpUGIo_A", "aIBFn0zWRz6HdXpUGIo_Aw", "cIBFn0zWRz6HdXpUGIo_A!"] {
            #expect(FCMInstallationID.key(of: text) == nil)
        }
    }

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
