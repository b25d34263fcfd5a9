import Foundation
import Testing

@testable import BelfryServices

struct ContactReferenceTests {
    private static let keys = TestKeys.server()
    private static let reference = ContactReference(contact: 5, epoch: 0).signed(for: 7, with: keys)

    private static func contact(_ text: String, device: Int64 = 7) -> Int64? {
        ContactReference(text, for: device, with: keys)?.contact
    }

    @Test("ID-7: a reference names its contact to its device, and to no other")
    func owner() throws {
        #expect(Self.contact(Self.reference) == 5)
        #expect(Self.contact(Self.reference, device: 8) == nil)
        // A reference from before the tag was part of it.
        let signed = try #require(Self.reference.split(separator: ".").last)
        #expect(Self.contact(String(signed)) == 5)
        for wrong in ["", ".", Self.reference + ".", String(Self.reference.dropLast()), "A\(signed)"] {
            #expect(Self.contact(wrong) == nil, "\(wrong)")
        }
    }

    @Test("SEC-2: the length of a reference is limited, so that caches of references are too")
    func bounded() {
        let room = 256 - Self.reference.utf8.count
        #expect(Self.contact(String(repeating: "x", count: room) + Self.reference) == 5)
        #expect(Self.contact(String(repeating: "x", count: room + 1) + Self.reference) == nil)
    }

    @Test("PERF-4, ID-7: a cached reference still names its contact only to its device")
    func remembered() {
        let known = KnownReferences()
        for _ in 0..<2 {
            #expect(known.reference(Self.reference, device: 7, keys: Self.keys)?.contact == 5)
            #expect(known.reference(Self.reference, device: 8, keys: Self.keys) == nil)
            #expect(known.reference("forged", device: 7, keys: Self.keys) == nil)
        }
    }
}
