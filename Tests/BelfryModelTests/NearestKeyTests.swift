import BelfryModel
import Testing

@Suite("The key that was probably meant")
struct NearestKeyTests {
    private static let known = ["allowedOrigins", "timeZone", "port", "data", "adminKey"]

    @Test(
        "ADM-3, REG-13: a mistyped key is recognised",
        arguments: [
            ("allowedOrigin", "allowedOrigins"), ("alowedOrigins", "allowedOrigins"), ("TIMEZONE", "timeZone"),
            ("timezones", "timeZone"), ("ports", "port"), ("date", "data"), ("adminkey", "adminKey"),
            ("admin_key", "adminKey"), ("prot", "port"),
        ]
    )
    func meant(key: String, expected: String) {
        #expect(NearestKey.find(key, in: Self.known) == expected)
    }

    @Test(
        "ADM-3, REG-13: a key that resembles none gets no suggestion",
        arguments: ["", "colour", "x", "maximum"]
    )
    func unlike(key: String) {
        #expect(NearestKey.find(key, in: Self.known) == nil)
        #expect(NearestKey.find(key, in: []) == nil)
    }

    @Test("SEC-2: a long key costs nothing")
    func long() {
        let longest = String(repeating: "k", count: NearestKey.maximumBytes)
        #expect(NearestKey.find(longest, in: [longest + "k"]) == longest + "k")
        #expect(NearestKey.find(longest + "k", in: [longest + "k"]) == nil)
    }
}
