import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryAPI

/// PERF-5: a registration that is only looked over is one that the decoder reads, with the same meaning.
@Suite("Scanning a snapshot")
struct SnapshotScanTests {
    private static let whole = """
        {"deviceId":"6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11","registrationId":"0B0F8F6E-2A2C-4A7B-8B0E-6E2C3A4B5C6D",
        "revision":12,"contactKey":"anna","pushToken":"0123456789abcdef","pushProvider":"apns",
        "pushEnvironment":"sandbox","pushEnabled":true,"osPushEnabled":false,"attributes":{"city":"Paris","age":31.5},
        "tags":["a","b"],"timeZone":"Europe/Paris","locale":"fr_FR","platform":"ios","osVersion":"18.0",
        "appVersion":"1.0","sdkVersion":"1.0.0","deviceModel":"iPhone14,2","lastOpenedAt":"2026-11-21T12:00:00.000Z"}
        """

    /// The decoder's reading of a body that was looked over; it is expected to be the same.
    private static func expectSame(_ scan: SnapshotScan, _ bytes: [UInt8], _ what: Comment) throws {
        try JSONReader.check(bytes)
        let snapshot = try JSONBody.decode(RegistrationSnapshot.self, from: bytes)
        #expect(scan.deviceID == snapshot.deviceId && scan.registrationID == snapshot.registrationId, what)
        #expect(scan.revision == snapshot.revision && snapshot.unreadableAttributes == nil, what)
        // As the processor reads what was stored, and as the router would have stored it.
        let text = String(decoding: bytes, as: UTF8.self)
        let stored = try JSONDecoder().decode(RegistrationSnapshot.self, from: Data(text.utf8))
        #expect(stored == snapshot, what)
        let rewritten = try JSONEncoder().encode(snapshot)
        #expect(try JSONDecoder().decode(RegistrationSnapshot.self, from: rewritten) == stored, what)
    }

    @Test("PERF-5: a snapshot with every field that has a plain value is scanned")
    func everyField() throws {
        let bytes = Array(Self.whole.utf8)
        let scan = try #require(SnapshotScan(bytes))
        #expect(scan.revision == 12)
        try Self.expectSame(scan, bytes, "whole")
    }

    @Test(
        "PERF-5, WIRE-7, WIRE-23: scanner and decoder read alike; nothing invalid passes",
        arguments: Endurance.seeds(8, brief: 2))
    func spoiled(seed: UInt64) throws {
        let tree = try JSONValue(json: Self.whole)
        var mutation = Mutation(seed: seed)
        var taken = 0
        for index in 0..<1_500 {
            var kept = tree
            for key in tree.members.keys.sorted() where mutation.chance(1, of: 8) { kept[key] = nil }
            let bytes = mutation.chance(1, of: 3) ? Array(kept.text.utf8) : mutation.body(from: kept)
            guard let scan = SnapshotScan(bytes) else { continue }
            taken += 1
            try Self.expectSame(scan, bytes, "seed \(seed), case \(index): \(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(taken > 150, "\(taken)")
    }

    @Test("PERF-5, SEC-2: more tags than a snapshot may have are left to the decoder")
    func manyTags() throws {
        for (count, isTaken) in [(0, true), (1_000, true), (1_001, false)] {
            let tags = (0..<count).map { #""t\#($0)""# }.joined(separator: ",")
            let bytes = Array(Self.whole.replacing(#""a","b""#, with: tags).utf8)
            let scan = SnapshotScan(bytes)
            #expect((scan?.revision != nil) == isTaken, "\(count)")
            if let scan { try Self.expectSame(scan, bytes, "\(count)") }
        }
        #expect(RegistrationSnapshot.maximumEntries == 1_000)
    }

    @Test(
        "PERF-5: cases that the decoder has to judge are left to it",
        arguments: [
            ("\"revision\":12", "\"revision\":12.0"), ("\"revision\":12", "\"revision\":-12"),
            ("\"revision\":12", "\"revision\":\"12\""), ("\"revision\":12", "\"revision\":1234567890123456789"),
            ("\"revision\":12", "\"revision\":12,\"revision\":13"), ("\"revision\":12", "\"revision\":012"),
            ("\"contactKey\":\"anna\"", "\"contactKey\":null"), ("\"contactKey\":\"anna\"", "\"contactKey\":7"),
            ("\"contactKey\":\"anna\"", "\"contactKey\":\"a\\u006ena\""), ("\"apns\"", "\"owl\""),
            ("\"sandbox\"", "\"garden\""), ("true", "\"true\""), ("true", "null"), ("false", "0"),
            ("\"Paris\"", "null"), ("\"Paris\"", "{}"), ("31.5", "1e3"), ("\"city\"", "\"age\""), ("[\"a\",", "[null,"),
            ("[\"a\",\"b\"]", "{}"), ("\"tags\"", "\"labels\""), ("\"tags\"", "\"partyIdentifier\""),
            ("\"tags\"", "\"unreadableAttributes\""), ("\"pushEnabled\":true,", ""),
            ("12:00:00.000Z\"}", "12:00:00.000Z\"}}"),
            ("{\"deviceId\"", "[{\"deviceId\""), ("\"deviceId\"", "\"device\""), ("\"registrationId\"", "\"id\""),
        ]
    )
    func left(part: String, other: String) {
        let text = Self.whole.replacing(part, with: other, maxReplacements: 1)
        #expect(text != Self.whole)
        let scan = SnapshotScan(Array(text.utf8))
        #expect(scan?.revision == nil)
    }
}
