import BelfryModel
import BelfryTestSupport
import Testing

struct AttributeKeyTests {
    /// The reserved words as the vendor publishes them, and two similar ones that it does not.
    private static let reserved = """
        addressId alias apId backgroundRefreshEnabled badge channel contactId contactKey createdBy createdDate \
        customObjectKey device deviceId deviceType gcmSenderId hardwareId isHonorDst lastAppOpen lastMessageOpen \
        lastSend locationEnabled messageOpenCount modifiedBy modifiedDate optInDate optInMethodId optInStatusId \
        optOutDate optOutMethodId optOutStatusId platform platformVersion providerToken proximityEnabled \
        pushAddressExtensionId pushApplicationId sdkVersion sendCount source sourceObjectId status systemToken \
        timezone utcOffset signedString quietPushEnabled
        """.split(separator: " ").map(String.init)

    @Test("REG-10: each reserved word is refused in any case", arguments: reserved)
    func reservedWord(_ word: String) {
        for spelling in [word, word.uppercased(), word.lowercased(), " \(word) "] {
            #expect(valueErrorCode { try AttributeKey(spelling) } == "reservedWord")
        }
        #expect(throws: Never.self) { try AttributeKey(word + "2") }
    }

    @Test("REG-10: only the published words are reserved")
    func completeness() {
        #expect(AttributeKey.reservedWords == Set(Self.reserved))
    }

    @Test("REG-10: a key is trimmed and has 1 to 128 characters")
    func length() throws {
        #expect(try AttributeKey(" city ").rawValue == "city")
        #expect(try AttributeKey(String(repeating: "é", count: 128)).rawValue.count == 128)
        let long = String(repeating: "x", count: 129)
        #expect(valueErrorCode { try AttributeKey(long) } == "tooLong")
        for blank in ["", "\t "] {
            #expect(valueErrorCode { try AttributeKey(blank) } == "blank")
        }
    }

    @Test("REG-10: equal keys have equal bytes, however the device composes its accents")
    func composition() throws {
        let composed = try AttributeKey("caf\u{e9}")
        let decomposed = try AttributeKey("cafe\u{301}")
        #expect(composed == decomposed)
        #expect(Array(composed.rawValue.utf8) == Array(decomposed.rawValue.utf8))
    }
}
