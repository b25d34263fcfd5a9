import BelfryTestSupport
import Testing

@testable import BelfrySimulators

@Suite("base64url of the simulators")
struct Base64URLTests {
    @Test("PUSH-3: any bytes are decoded unchanged, and Foundation writes the same")
    func roundTrip() {
        var random = SimulatorRandom(seed: 3)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let text = SimulatorBase64URL.encode(bytes)
            #expect(text == base64URL(bytes))
            #expect(SimulatorBase64URL.decode(text) == bytes)
        }
    }

    @Test(
        "PUSH-3: other characters, padding, a cut text and stray bits are refused",
        arguments: ["+", "A", "AA==", "AB", "AAB", "A A", "é"])
    func bad(_ text: String) {
        #expect(SimulatorBase64URL.decode(text) == nil)
    }
}
