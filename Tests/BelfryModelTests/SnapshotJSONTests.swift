import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct SnapshotJSONTests {
    @Test("WIRE-7: only device, registration, revision and consent are required, and unknown fields are ignored")
    func minimal() throws {
        let json = #"{"deviceId":"d","registrationId":"r","revision":12,"pushEnabled":true,"color":"red"}"#
        let snapshot = try decoded(RegistrationSnapshot.self, json)
        #expect(snapshot == RegistrationSnapshot(deviceId: "d", registrationId: "r", revision: 12, pushEnabled: true))
        #expect(try encoded(snapshot) == #"{"deviceId":"d","pushEnabled":true,"registrationId":"r","revision":12}"#)
    }

    @Test(
        "WIRE-7: each missing or mistyped field is reported by name",
        arguments: ["deviceId", "registrationId", "revision", "pushEnabled"])
    func required(_ field: String) {
        var fields = ["deviceId": #""d""#, "registrationId": #""r""#, "revision": "1", "pushEnabled": "true"]
        fields[field] = nil
        #expect(decodingErrorField { try snapshot(fields) } == field)
        fields[field] = "{}"
        #expect(decodingErrorField { try snapshot(fields) } == field)
    }

    @Test("REG-1: a record makes the same body each time, sets sorted and dates as text")
    func record() throws {
        let record = ContactRecord(
            contactKey: try ContactKey("anna"),
            pushToken: try PushToken("abc", provider: .apns, environment: .sandbox),
            osPushEnabled: true,
            attributes: [try AttributeKey("birthday"): .date(Date(milliseconds: 1_795_262_400_001))],
            tags: [try Tag("b"), try Tag("a"), try Tag("c")],
            system: SystemProperties(timeZone: "Europe/Paris", platform: "ios"),
            lastOpenedAt: Date(milliseconds: 1_795_262_400_999)
        )
        let device = try DeviceID("c0ffee00-0000-4000-8000-000000000000")
        let snapshot = RegistrationSnapshot(record: record, deviceID: device, registrationID: "r", revision: 3)
        #expect(snapshot.tags == ["a", "b", "c"])
        #expect(snapshot.lastOpenedAt == "2026-11-21T12:00:00.999Z")
        let json = try encoded(snapshot)
        #expect(json.contains(#""attributes":{"birthday":"2026-11-21T12:00:00.001Z"}"#))
        #expect(json.contains(#""pushEnvironment":"sandbox","pushProvider":"apns","pushToken":"abc""#))
        #expect(!json.contains("null"))
    }

    @Test("REG-25, SEC-2: only one attribute and tag more is read than a snapshot may have")
    func bounded() throws {
        let most = RegistrationSnapshot.maximumEntries
        for count in [most, most + 1, 3 * most] {
            let names = (0..<count).map { "t" + String(100_000 + $0) }
            let attributes = names.map { "\"\($0)\":1" }.joined(separator: ",")
            let tags = names.map { "\"\($0)\"" }.joined(separator: ",")
            let read = try decoded(
                RegistrationSnapshot.self,
                #"{"deviceId":"d","registrationId":"r","revision":1,"pushEnabled":true,"tags":[\#(tags)],"#
                    + #""attributes":{"a":null,\#(attributes)}}"#
            )
            let kept = Array(names.prefix(most + 1))
            #expect(read.tags == kept)
            #expect(read.attributes?.keys.sorted() == kept)
        }
    }

    @Test("REG-25: attributes that cannot be read count with the others")
    func unreadable() throws {
        let read = try decoded(
            RegistrationSnapshot.self,
            #"{"deviceId":"d","registrationId":"r","revision":1,"pushEnabled":true,"tags":null,"#
                + #""attributes":{"b":[1],"a":2,"c":{},"d":null}}"#
        )
        #expect(read.attributes == ["a": 2] && read.unreadableAttributes == ["b", "c"] && read.tags == nil)
    }

    private func snapshot(_ fields: [String: String]) throws -> RegistrationSnapshot {
        let members = fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        return try decoded(RegistrationSnapshot.self, "{\(members)}")
    }
}
