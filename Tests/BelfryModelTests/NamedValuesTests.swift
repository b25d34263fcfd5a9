import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct NamedValuesTests {
    @Test("REG-9: a contact key is trimmed; empty, blank and overlong ones are refused")
    func contactKey() throws {
        #expect(try ContactKey(" \tanna@example.com\n").rawValue == "anna@example.com")
        #expect(try ContactKey(String(repeating: "x", count: 255)).rawValue.count == 255)
        for blank in ["", " ", "\n\t ", "\u{00a0}"] {
            #expect(valueErrorCode { try ContactKey(blank) } == "blank")
        }
        let long = String(repeating: "x", count: 256)
        #expect(valueErrorCode { try ContactKey(long) } == "tooLong")
    }

    @Test("REG-11: a tag is trimmed; empty, blank and overlong ones are refused")
    func tag() throws {
        #expect(try Tag("  sports ").rawValue == "sports")
        #expect(try Set([Tag("a"), Tag(" a ")]).count == 1)
        for blank in ["", "   "] {
            #expect(valueErrorCode { try Tag(blank) } == "blank")
        }
        let long = String(repeating: "x", count: Tag.maximumLength + 1)
        #expect(valueErrorCode { try Tag(long) } == "tooLong")
    }

    @Test("REG-9: the server's own keys for anonymous contacts are not valid contact keys")
    func reservedPrefix() throws {
        #expect(valueErrorCode { try ContactKey(" anonymous:x") } == "reservedPrefix")
        #expect(try ContactKey("anonymous").rawValue == "anonymous")
    }

    @Test("REG-9, REG-10, REG-11: no name contains the null character, at which databases truncate a text")
    func nullCharacter() {
        #expect(valueErrorCode { try ContactKey("anna\0x") } == "invalidCharacter")
        #expect(valueErrorCode { try Tag("a\0") } == "invalidCharacter")
        #expect(valueErrorCode { try AttributeKey("a\0b") } == "invalidCharacter")
        #expect(valueErrorCode { try EventName("a\0b") } == "invalidName")
        #expect(valueErrorCode { try EventID("a\0b") } == "invalidId")
    }

    @Test("REG-9, REG-11, EVT-3: a short name of too many bytes for an index entry is refused")
    func bytes() throws {
        let long = "x" + String(repeating: "\u{0301}", count: 512)
        #expect(long.count == 1 && long.utf8.count == 1_025)
        #expect(valueErrorCode { try ContactKey(long) } == "tooLong")
        #expect(valueErrorCode { try Tag(long) } == "tooLong")
        #expect(valueErrorCode { try AttributeKey(long) } == "tooLong")
        #expect(valueErrorCode { try EventID(long) } == "invalidId")
        #expect(valueErrorCode { try EventName(long) } == "invalidName")
        #expect(try ContactKey(String(repeating: "😀", count: 255)).rawValue.utf8.count == 1_020)
    }

    @Test("EVT-8: an event's name has 1 to 128 characters, its id 1 to 64")
    func event() throws {
        #expect(try EventName(" purchase ").rawValue == "purchase")
        #expect(try EventName(String(repeating: "n", count: 128)).rawValue.count == 128)
        for name in ["", "  ", String(repeating: "n", count: 129)] {
            #expect(valueErrorCode { try EventName(name) } == "invalidName")
        }
        #expect(try EventID(String(repeating: "i", count: 64)).rawValue.count == 64)
        for id in ["", String(repeating: "i", count: 65)] {
            #expect(valueErrorCode { try EventID(id) } == "invalidId")
        }
        #expect(EventLimits.maximumAttributes == 64)
        #expect(EventLimits.maximumBytes == 65_536)
    }

    @Test("WIRE-20: a device id has 1 to 128 printable ASCII characters, kept in the spelling of the device")
    func deviceID() throws {
        let right = [
            "c0ffee00-0000-4000-8000-00000000000A", "9774d56d682e549c", "cWvBYyPfRX6", "x", "a b", "\"\\/'%?#",
            String(repeating: "~", count: 128), "{c0ffee00-0000-4000-8000-00000000000A}",
        ]
        for id in right {
            #expect(try DeviceID(id).rawValue == id)
            #expect(try DeviceID(stored: id) == DeviceID(id))
        }
        let wrong = [
            "", " ", " a", "a ", "é", "a\n", "a\u{0}b", "a\u{7f}", "\u{212A}", String(repeating: "x", count: 129),
        ]
        for id in wrong {
            #expect(valueErrorCode { try DeviceID(id) } == "invalidDeviceId")
        }
    }

    @Test("WIRE-20: any id but a UUID is compared as it is spelled")
    func spelledDeviceIDs() throws {
        let (lower, upper) = (try DeviceID("9774d56d682e549c"), try DeviceID("9774D56D682E549C"))
        #expect(lower != upper && !lower.isUUID && upper.canonical == upper.rawValue)
        // One more character, and it is no UUID.
        #expect(
            try DeviceID("C0FFEE00-0000-4000-8000-00000000000A0").canonical == "C0FFEE00-0000-4000-8000-00000000000A0")
        #expect(DeviceID.canonical(of: "C0FFEE00-0000-4000-8000-00000000000A").last == "a")
        // The Kelvin sign is in lower case a "k", and no letter of an id.
        #expect(DeviceID.canonical(of: "\u{212A}") == "\u{212A}")
    }

    @Test("WIRE-20: a UUID is case-insensitive")
    func deviceIDCase() throws {
        let upper = try DeviceID("C0FFEE00-0000-4000-8000-00000000000A")
        let lower = try DeviceID("c0ffee00-0000-4000-8000-00000000000a")
        #expect(upper == lower && upper.hashValue == lower.hashValue)
        #expect(upper.rawValue != lower.rawValue && upper.canonical == lower.canonical)
        #expect(try upper != DeviceID("c0ffee00-0000-4000-8000-00000000000b"))
        let uuid = try #require(UUID(uuidString: lower.rawValue))
        #expect(DeviceID(uuid) == lower && DeviceID(uuid).canonical == lower.rawValue)
    }

    @Test("WIRE-22: an app code has 1 to 64 letters, digits, '-', '_' or '.'")
    func appCode() throws {
        #expect(try AppCode("EMS-0_1.a").rawValue == "EMS-0_1.a")
        #expect(try AppCode("...").rawValue == "...")
        for code in ["", ".", "..", "a b", "a/b", "é", "a'", String(repeating: "x", count: 65)] {
            #expect(valueErrorCode { try AppCode(code) } == "invalidAppCode")
        }
    }

    @Test("SEC-3: a push token is visible ASCII of at most 4,096 bytes, and shown shortened")
    func pushToken() throws {
        let token = try PushToken("0123456789abcdef0123456789abcdef", provider: .apns, environment: .sandbox)
        #expect(token.description == "apns:012345…cdef")
        #expect(try PushToken("secret", provider: .fcm, environment: .production).description == "fcm:…")
        for raw in ["", "a b", "tøken", "a\n", String(repeating: "x", count: 4_097)] {
            #expect(
                valueErrorCode { try PushToken(raw, provider: .apns, environment: .production) } == "invalidPushToken")
        }
    }

    @Test("WIRE-5: a platform has its push service")
    func standardProvider() throws {
        let table: [(String?, PushProvider)] = [
            (nil, .apns), ("ios", .apns), ("macOS", .apns), ("Android", .fcm),
            ("web", .webpush), ("Firefox", .webpush),
        ]
        for (platform, provider) in table {
            #expect(try PushProvider.standard(forPlatform: platform) == provider)
        }
        // Huawei's tokens are of no service that Belfry sends through.
        #expect(
            valueErrorCode { try PushProvider.standard(forPlatform: "Android-Huawei") } == "pushServiceNotSupported")
    }
}
