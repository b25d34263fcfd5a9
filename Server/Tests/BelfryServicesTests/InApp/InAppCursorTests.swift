import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServerTestSupport

import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryServices
@testable import BelfryStore

struct InAppCursorTests {
    private static func campaign(_ number: Int64) throws -> CampaignID { try #require(CampaignID(number)) }

    private static func drawn(_ dice: inout SeededGenerator) throws -> InAppCursor {
        var held: [CampaignID: Int] = [:]
        for _ in 0..<Int.random(in: 0...12, using: &dice) {
            let top = Bool.random(using: &dice) ? 300 : CampaignID.maximum
            held[try campaign(.random(in: 1...top, using: &dice))] = .random(in: 1...100_000, using: &dice)
        }
        let stamp = try stamp(
            device: .random(in: 0...ServiceWorld.epoch.milliseconds * 2, using: &dice),
            contact: .random(in: 0...ServiceWorld.epoch.milliseconds * 2, using: &dice),
            clock: .random(in: 0...1_000_000, using: &dice)
        )
        return InAppCursor(
            mark: .random(in: 0 ... .max, using: &dice), stamp: stamp, held: held, now: ServiceWorld.epoch)
    }

    private static func stamp(device: Int64, contact: Int64, clock: Int64 = 1) throws -> InAppSyncVersion {
        InAppSyncVersion(
            link: DeviceLink(
                id: 1, app: 1, contact: 1, linkGeneration: 1, confirmedGeneration: 1, orderEpoch: 1,
                shownGeneration: 0, epoch: 0, revision: 0
            ),
            device: device, contact: contact, clock: clock, isVolatile: false
        )
    }

    @Test(
        "WIRE-9: a cursor encodes what it was made of, in characters that are safe in a URL", arguments: 0..<UInt64(20))
    func roundTrip(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let cursor = try Self.drawn(&dice)
            #expect(InAppCursor(cursor.text) == cursor)
            let letters = cursor.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
            #expect(letters)
        }
    }

    @Test("WIRE-9: an invalid cursor counts as none, and is never an error", arguments: 0..<UInt64(20))
    func hostile(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for text in ["", "x", "AQ", "no cursor", "é", String(repeating: "A", count: 100_000), "////"] {
            #expect(InAppCursor(text) == nil)
        }
        for _ in 0..<200 {
            var bytes = Base64URL.decode(try Self.drawn(&dice).text) ?? []
            // Cut off, changed, or of another format.
            switch Int.random(in: 0..<3, using: &dice) {
            case 0: bytes.removeLast(.random(in: 1...bytes.count, using: &dice))
            case 1: bytes[.random(in: bytes.indices, using: &dice)] = .random(in: 0 ... .max, using: &dice)
            default: bytes[0] = 2
            }
            // Whatever is read is a cursor that could have been made.
            guard let cursor = InAppCursor(Base64URL.encode(bytes)) else { continue }
            #expect(bytes[0] == 1)
            #expect(InAppCursor(cursor.text) == cursor)
        }
    }

    @Test("PERF-7: a change in the same second as the response is never missed")
    func young() throws {
        let now = ServiceWorld.epoch.milliseconds
        let stamps: [(at: Int64, stands: Bool)] = [
            (now - 1_000, true), (now - 999, false), (now, false), (now + 5, false),
        ]
        for (at, stands) in stamps {
            for stamp in [
                try Self.stamp(device: at, contact: now - 5_000), try Self.stamp(device: now - 5_000, contact: at),
            ] {
                let cursor = InAppCursor(mark: 7, stamp: stamp, held: [:], now: ServiceWorld.epoch)
                #expect(cursor.stands(at: stamp, mark: 7) == stands)
            }
        }
    }

    @Test("WIRE-9: a cursor is valid only for its owner, while nothing was written")
    func standing() throws {
        let at = ServiceWorld.epoch.milliseconds - 9_000
        let stamp = try Self.stamp(device: at, contact: at)
        let cursor = InAppCursor(mark: 7, stamp: stamp, held: [:], now: ServiceWorld.epoch)
        #expect(cursor.stands(at: stamp, mark: 7))
        #expect(!cursor.stands(at: stamp, mark: 8))
        #expect(!cursor.stands(at: try Self.stamp(device: at + 1, contact: at), mark: 7))
        #expect(!cursor.stands(at: try Self.stamp(device: at, contact: at - 1), mark: 7))
        #expect(!cursor.stands(at: try Self.stamp(device: at, contact: at, clock: 2), mark: 7))
        let keys = TestKeys.server()
        let marks = [(1, 1), (1, 2), (2, 1), (2, 2)].map { keys.inAppMark(device: $0, contact: $1) }
        #expect(Set(marks).count == 4)
    }

    @Test("WIRE-9: of campaigns that are no longer offered the newest are recorded, so a cursor stays short")
    func bounded() throws {
        let offered = Dictionary(
            uniqueKeysWithValues: try (1...Int64(InAppSync.maximumMessages)).map { (try Self.campaign($0), 1_000) }
        )
        let held = Dictionary(uniqueKeysWithValues: try (201...Int64(5_000)).map { (try Self.campaign($0), 9) })
        let selection = InAppSelection(held: held, offered: offered) { _ in .kept }
        #expect(selection.held.count == InAppSync.maximumMessages + InAppCursor.maximumOthers)
        #expect(selection.held.keys.max() == (try Self.campaign(5_000)))
        #expect(Set(offered.keys).isSubset(of: selection.held.keys))
        let stamp = try Self.stamp(device: 0, contact: 0)
        let cursor = InAppCursor(mark: .max, stamp: stamp, held: selection.held, now: ServiceWorld.epoch)
        #expect(cursor.text.utf8.count < 2_500)
        #expect(InAppCursor(cursor.text)?.held == selection.held)
        // One more than a device can hold was made by no server.
        let more = selection.held.merging([try Self.campaign(6_000): 1]) { first, _ in first }
        let forged = InAppCursor(mark: .max, stamp: stamp, held: more, now: ServiceWorld.epoch)
        #expect(InAppCursor(forged.text) == nil)
    }
}
