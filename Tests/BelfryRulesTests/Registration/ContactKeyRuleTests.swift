import BelfryModel
import BelfryRules
import Testing

struct ContactKeyRuleTests {
    @Test("ID-3: a key that no rule accepts is refused, unless it is the linked one")
    func rejections() throws {
        let anna = try ContactKey("anna")
        for (rule, code) in [(ContactKeyRule.proven, "notProven"), (.fielded, "contactFieldNotAllowed")] {
            for linked in [nil, "bert", "Anna", "anna "] {
                #expect(rule.error(of: anna, linked: linked)?.code == code)
            }
            #expect(rule.error(of: anna, linked: "anna") == nil)
        }
        for linked in [nil, "bert", "anna"] { #expect(ContactKeyRule.stated.error(of: anna, linked: linked) == nil) }
    }

    @Test("ID-3, REG-25: a refused contact key is rejected alone, and the rest of the snapshot is read")
    func reading() {
        var snapshot = RegistrationSnapshot(deviceId: "d", registrationId: "r", revision: 1, pushEnabled: true)
        snapshot.contactKey = " anna "
        snapshot.tags = ["sports"]
        let reading = SnapshotReading(snapshot, schema: [:], contactKeyRule: .proven, linkedKey: "bert")
        #expect(reading.contactKey == nil && reading.tags?.count == 1)
        #expect(reading.rejected.map(\.field) == ["contactKey"] && reading.rejected.map(\.reason) == ["notProven"])
        let repeated = SnapshotReading(snapshot, schema: [:], contactKeyRule: .proven, linkedKey: "anna")
        #expect(repeated.contactKey?.rawValue == "anna" && repeated.rejected.isEmpty)
        // A text that is not a key at all is rejected for that reason.
        snapshot.contactKey = " "
        let blank = SnapshotReading(snapshot, schema: [:], contactKeyRule: .proven)
        #expect(blank.rejected.map(\.reason) == ["blank"])
    }
}
