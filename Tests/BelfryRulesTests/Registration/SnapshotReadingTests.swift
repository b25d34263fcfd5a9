import BelfryModel
import BelfryRules
import Foundation
import Testing

struct SnapshotReadingTests {
    private let schema: [String: AttributeType] = [
        "city": .string, "age": .number, "vip": .boolean, "birthday": .date,
    ]

    @Test("REG-9: the contact key is trimmed; a blank one is rejected and the rest is applied")
    func contactKey() {
        #expect(reading { $0.contactKey = " anna\n" }.contactKey?.rawValue == "anna")
        let blank = reading {
            $0.contactKey = " "
            $0.tags = ["sports"]
        }
        #expect(blank.contactKey == nil)
        #expect(blank.rejections == ["contactKey": "blank"])
        #expect(blank.tags?.map(\.rawValue) == ["sports"])
    }

    @Test("SEC-6, REG-25: an invalid zone is rejected alone, whatever it looks like, and a real one is kept")
    func zones() {
        let hostile = [
            "GMT+01:Z0", "UTC+01:Z0", "GMT+0\u{301}1:30", "\u{600}Europe/Paris", "GMT+٠١:٣٠", "/etc/localtime",
        ]
        for zone in hostile {
            let reading = reading {
                $0.timeZone = zone
                $0.locale = "fr_FR"
            }
            #expect(reading.rejections == ["timeZone": "unknownTimeZone"], "\(zone.debugDescription)")
            #expect(reading.system == SystemProperties(locale: "fr_FR"))
        }
        for zone in ["Europe/Paris", "GMT+1", "GMT+01:30", "UTC", "EST5EDT", "+01:00"] {
            let reading = reading { $0.timeZone = zone }
            #expect(reading.rejections.isEmpty && reading.system.timeZone == zone, "\(zone)")
        }
    }

    @Test("REG-10, REG-25: each invalid attribute is rejected alone, with its reason")
    func attributes() throws {
        let reading = reading {
            $0.attributes = [
                " city ": " Paris ", "age": 31, "vip": "yes", "birthday": "1990-02-30T00:00:00Z", "shoe": 44,
                "Badge": 1,
                "": "x", String(repeating: "k", count: 200): "x",
            ]
        }
        #expect(reading.attributes == [try AttributeKey("city"): "Paris", try AttributeKey("age"): 31])
        #expect(
            reading.rejections == [
                "attributes.vip": "wrongType", "attributes.birthday": "wrongType",
                "attributes.shoe": "undefinedAttribute", "attributes.Badge": "reservedWord", "attributes.": "blank",
                "attributes.\(String(repeating: "k", count: 128))": "tooLong",
            ]
        )
        #expect(reading.rejected.allSatisfy { !$0.message.isEmpty })
    }

    @Test("REG-25: a date is read from its text")
    func date() throws {
        let reading = reading { $0.attributes = ["birthday": " 2026-11-21T13:00:00+01:00 "] }
        let noon = Date(timeIntervalSince1970: 1_795_262_400)
        #expect(reading.attributes == [try AttributeKey("birthday"): .date(noon)])
    }

    @Test("REG-28: a blank value clears an attribute of any type", arguments: ["city", "age", "vip", "birthday"])
    func blank(_ name: String) throws {
        let reading = reading { $0.attributes = [name: " \t"] }
        #expect(reading.attributes == [try AttributeKey(name): ""])
        #expect(reading.rejected.isEmpty)
    }

    @Test("REG-11: tags are trimmed, a set; each blank one is rejected with its place")
    func tags() {
        let reading = reading { $0.tags = ["b", " ", " b ", "a", ""] }
        #expect(reading.tags?.map(\.rawValue).sorted() == ["a", "b"])
        #expect(reading.rejections == ["tags[1]": "blank", "tags[4]": "blank"])
    }

    @Test("REG-28: absent fields are not read")
    func absent() {
        let reading = reading { _ in }
        #expect(reading.contactKey == nil && reading.pushToken == nil && reading.partyIdentifier == nil)
        #expect(reading.lastOpenedAt == nil && reading.system == SystemProperties())
        #expect(reading.attributes.isEmpty && reading.tags == nil && reading.rejected.isEmpty)
    }

    @Test("WIRE-5: a token without a provider gets its platform's, for production")
    func token() {
        let apple = reading {
            $0.pushToken = "abc"
            $0.platform = "ios"
        }
        #expect(apple.pushToken?.provider == .apns && apple.pushToken?.environment == .production)
        let google = reading {
            $0.pushToken = "abc"
            $0.platform = "android"
        }
        #expect(google.pushToken?.provider == .fcm)
        let spaced = reading { $0.pushToken = "a b" }
        #expect(spaced.pushToken == nil)
        #expect(spaced.rejections == ["pushToken": "invalidPushToken"])
    }

    @Test("REG-25: dates, zones, the party and overlong properties are rejected alone")
    func otherFields() {
        let reading = reading {
            $0.lastOpenedAt = "yesterday"
            $0.timeZone = "Mars/Olympus"
            $0.locale = "fr_FR"
            $0.deviceModel = String(repeating: "m", count: 256)
            $0.osVersion = "18\0"
            $0.partyIdentifier = PartyIdentifier(type: "email", name: " ", number: "1")
        }
        #expect(
            reading.rejections == [
                "lastOpenedAt": "invalidDate", "timeZone": "unknownTimeZone", "deviceModel": "tooLong",
                "osVersion": "invalidCharacter", "partyIdentifier": "blank",
            ]
        )
        #expect(reading.system == SystemProperties(locale: "fr_FR"))
    }

    @Test("REG-1: the party identifier is trimmed")
    func party() {
        let reading = reading { $0.partyIdentifier = PartyIdentifier(type: " email ", name: "primary", number: " 1\n") }
        #expect(reading.partyIdentifier == PartyIdentifier(type: "email", name: "primary", number: "1"))
    }

    @Test("REG-25: a value has at most 16,384 bytes and no null character")
    func values() throws {
        let longest = String(repeating: "x", count: SnapshotReading.maximumValueBytes)
        #expect(reading { $0.attributes = ["city": .string(longest)] }.attributes.count == 1)
        let longer = reading { $0.attributes = ["city": .string(longest + "x"), "age": 31] }
        #expect(longer.rejections == ["attributes.city": "tooLong"])
        #expect(longer.attributes == [try AttributeKey("age"): 31])
        let null = reading { $0.attributes = ["city": "Par\0is"] }
        #expect(null.rejections == ["attributes.city": "invalidCharacter"])
    }

    @Test("REG-25: attributes or tags beyond 1,000 are left out, in one rejection each")
    func entries() {
        let many = (0..<5_000).map { "t\($0)" }
        let reading = reading {
            $0.tags = many
            $0.attributes = Dictionary(uniqueKeysWithValues: many.map { ($0, 1) })
        }
        #expect(reading.tags?.count == SnapshotReading.maximumEntries)
        #expect(reading.rejections["tags"] == "tooMany")
        #expect(reading.rejections["attributes"] == "tooMany")
        #expect(reading.rejected.count == SnapshotReading.maximumEntries + 2)
    }

    @Test("REG-25: attributes with and without a readable value share one limit")
    func entriesTogether() {
        let reading = reading {
            $0.attributes = Dictionary(uniqueKeysWithValues: (0..<600).map { ("t\($0)", 1) })
            $0.unreadableAttributes = (0..<401).map { "u\($0)" }
        }
        #expect(reading.rejections["attributes"] == "tooMany")
        #expect(reading.rejected.count == SnapshotReading.maximumEntries + 1)
        #expect(reading.rejected.count { $0.reason == "wrongType" } == 400)
    }

    private func reading(_ change: (inout RegistrationSnapshot) -> Void) -> SnapshotReading {
        var snapshot = RegistrationSnapshot(deviceId: "d", registrationId: "r", revision: 1, pushEnabled: true)
        change(&snapshot)
        return SnapshotReading(snapshot, schema: schema)
    }
}

extension SnapshotReading {
    fileprivate var rejections: [String: String] {
        Dictionary(rejected.map { ($0.field, $0.reason) }, uniquingKeysWith: { first, _ in first })
    }
}
