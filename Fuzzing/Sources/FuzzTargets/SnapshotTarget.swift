import BelfryModel
import BelfryRules
import Foundation

@testable import BelfryAPI
@testable import BelfryServices

/// Registrations: a snapshot that is stored as it arrived must be readable when it is processed, and no field may make
/// that fail.
enum SnapshotTarget {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        let decoded = try? JSONDecoder().decode(RegistrationSnapshot.self, from: Data(bytes))
        if let scan = SnapshotScan(bytes) {
            guard let decoded else { throw Finding("what the lane stores, the processor reads") }
            try expect(scan.deviceID == decoded.deviceId, "the lane and the processor read one device id")
            try expect(scan.registrationID == decoded.registrationId, "the lane and the processor read one id")
            try expect(scan.revision == decoded.revision, "the lane and the processor read one revision")
        }
        if let decoded { try read(decoded) }
        // The fields alone, because a fuzzer of bytes finds values for them sooner than inside of a body.
        let fields = SystemProperties(
            timeZone: text, locale: text, platform: text, osVersion: text, appVersion: text, sdkVersion: text,
            deviceModel: text
        )
        // The text may equal one of the other names.
        let named = ["city": AttributeValue.string(text), "since": .string(text)].merging([text: "x"]) { $1 }
        try read(
            RegistrationSnapshot(
                deviceId: Fixtures.device.rawValue, registrationId: Fixtures.device.rawValue, revision: 1,
                contactKey: text, partyIdentifier: PartyIdentifier(type: text, name: text, number: text),
                pushToken: text, pushEnabled: true,
                attributes: named, tags: [text], system: fields,
                lastOpenedAt: text
            )
        )
    }

    private static func read(_ snapshot: RegistrationSnapshot) throws {
        let reading = SnapshotReading(snapshot, schema: Fixtures.schema)
        try expect(
            reading.attributes.keys.allSatisfy { Fixtures.schema[$0.rawValue] != nil }, "defined attributes only")
        try expect(reading.attributes.count <= SnapshotReading.maximumEntries, "attributes have a bound")
        try expect((reading.tags?.count ?? 0) <= SnapshotReading.maximumEntries, "tags have a bound")
        for case .string(let text) in reading.attributes.values {
            try expect(text.utf8.count <= SnapshotReading.maximumValueBytes, "a value has a bound")
            try expect(!text.utf8.contains(0), "a value has no null character")
        }
        guard let zone = reading.system.timeZone else { return }
        try expect(ZoneName(zone) != nil, "a zone that is taken is one: \(zone)")
    }
}
