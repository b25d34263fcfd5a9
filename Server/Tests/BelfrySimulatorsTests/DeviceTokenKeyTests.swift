import Testing

@testable import BelfrySimulators

@Suite("Device tokens and ids")
struct DeviceTokenKeyTests {
    @Test("PUSH-1: a device token is 64 hexadecimal digits, and reads back as lower case")
    func roundTrip() {
        let text = "00112233445566778899aabbccddeeff0123456789abcdef89abcdef01234567"
        #expect(DeviceTokenKey(text)?.text == text)
        #expect(DeviceTokenKey(text.uppercased())?.text == text)
        #expect(DeviceTokenKey(text.dropLast()) == nil)
        #expect(DeviceTokenKey(text + "0") == nil)
        #expect(DeviceTokenKey(text.replacing("0", with: "g")) == nil)
        #expect(DeviceTokenKey("") == nil)
    }

    @Test("PUSH-5: ids are UUIDs of version 4 in lower case, and follow from the seed")
    func ids() {
        let one = RandomSource(SimulatorRandom(seed: 1))
        let same = RandomSource(SimulatorRandom(seed: 1))
        for _ in 0..<100 {
            let id = one.uuid()
            #expect(APNsRequestCheck.isUUID(id))
            #expect(id == same.uuid())
            #expect(id == id.lowercased())
            #expect(Array(id)[14] == "4")
            #expect("89ab".contains(Array(id)[19]))
        }
        #expect(one.deviceToken() == same.deviceToken())
        #expect(one.deviceToken() != one.deviceToken())
    }
}
