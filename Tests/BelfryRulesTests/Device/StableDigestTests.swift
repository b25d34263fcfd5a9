import BelfryModel
import Foundation
import Testing

@testable import BelfryRules

struct StableDigestTests {
    @Test(
        "REG-3: the digest is FNV-1a with 128 bits",
        arguments: [
            ("", "6c62272e07bb014262b821756295c58d"),
            ("a", "d228cb696f1a8caf78912b704e4a8964"),
            ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
        ])
    func vectors(text: String, expected: String) {
        var hash = FNV128()
        hash.add(text)
        #expect(hash.text == expected)
    }

    @Test("REG-3: every field changes the digest, except the last app open")
    func fields() throws {
        let city = try AttributeKey("city")
        let (first, second) = (try Tag("city"), try Tag("Paris"))
        var records: [ContactRecord] = [ContactRecord()]
        func add(_ change: (inout ContactRecord) throws -> Void) rethrows {
            var record = ContactRecord()
            try change(&record)
            records.append(record)
        }
        try add { $0.contactKey = try ContactKey("anna") }
        add { $0.partyIdentifier = PartyIdentifier(type: "email", name: "primary", number: "a@example.com") }
        try add { $0.pushToken = try PushToken("abcd", provider: .apns, environment: .production) }
        try add { $0.pushToken = try PushToken("abcd", provider: .apns, environment: .sandbox) }
        add { $0.pushEnabled = false }
        add { $0.osPushEnabled = false }
        add { $0.osPushEnabled = true }
        add { $0.attributes[city] = "Paris" }
        add { $0.attributes[city] = "" }
        add { $0.attributes[city] = true }
        add { $0.attributes[city] = 1 }
        add { $0.attributes[city] = "1" }
        add { $0.tags = [first] }
        add { $0.tags = [first, second] }
        add { $0.system.timeZone = "Europe/Paris" }
        add { $0.system.locale = "Europe/Paris" }
        add { $0.system.appVersion = "1.0" }
        add { $0.system.osVersion = "1.0" }
        let digests = records.map { StableDigest(record: $0) }
        #expect(Set(digests).count == records.count)
        var opened = ContactRecord()
        opened.lastOpenedAt = deviceEpoch
        #expect(StableDigest(record: opened) == digests[0])
    }

    @Test("REG-3: a date counts as its text in requests, so a stored record is no change")
    func dates() throws {
        let key = try AttributeKey("born")
        let date = ContactRecord(attributes: [key: .date(deviceEpoch)])
        let text = ContactRecord(attributes: [key: .string(Timestamp.text(deviceEpoch))])
        #expect(StableDigest(record: date) == StableDigest(record: text))
    }

    @Test("REG-30: no token is reported while the operating system denies permission")
    func reported() throws {
        var record = ContactRecord()
        record.pushToken = try PushToken("abcd", provider: .apns, environment: .production)
        #expect(record.reported.pushToken != nil)
        record.osPushEnabled = false
        #expect(record.reported.pushToken == nil)
        record.osPushEnabled = true
        #expect(record.reported.pushToken != nil)
    }
}
