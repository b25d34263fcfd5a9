import BelfryServices
import BelfryTestSupport
import Foundation
import Testing

struct ClockOffsetTests {
    private static let now = Date(timeIntervalSince1970: 1_795_262_400.25)
    private static let server: Int64 = 1_795_262_400_250

    private static func offset(_ sent: Int64) -> Int64? {
        ClockOffset(header: "\(sent)", now: now)?.milliseconds
    }

    @Test("EVT-9: a clock that differs by more than a minute is corrected by its difference, fast or slow")
    func difference() {
        for wrong: Int64 in [60_001, 61_000, 3_600_000, 86_400_000 * 400] {
            #expect(Self.offset(Self.server - wrong) == wrong)
            #expect(Self.offset(Self.server + wrong) == -wrong)
        }
        for right: Int64 in [0, 1, 59_999, 60_000] {
            #expect(Self.offset(Self.server - right) == nil)
            #expect(Self.offset(Self.server + right) == nil)
        }
        #expect(ClockOffset.tolerance == 60)
    }

    @Test("EVT-9: the time header counts if it is present, whatever the order is; else the order")
    func timeAndOrder() {
        let ahead = "\(Self.server + 86_400_000)"
        let right = "\(Self.server)"
        #expect(ClockOffset(time: right, order: ahead, now: Self.now) == nil)
        #expect(ClockOffset(time: ahead, order: right, now: Self.now)?.milliseconds == -86_400_000)
        #expect(ClockOffset(time: nil, order: ahead, now: Self.now)?.milliseconds == -86_400_000)
        #expect(ClockOffset(time: "soon", order: ahead, now: Self.now) == nil)
        #expect(ClockOffset(time: nil, order: nil, now: Self.now) == nil)
    }

    @Test("EVT-9: a clock before 2000 or after 9999 is ignored")
    func noClock() {
        #expect(Self.offset(946_684_800_000) == Self.server - 946_684_800_000)
        #expect(Self.offset(253_402_300_799_999) == Self.server - 253_402_300_799_999)
        for sent in [946_684_799_999, 0, -1, 253_402_300_800_000, Self.server * 1_000, .max, .min] {
            #expect(Self.offset(sent) == nil, "\(sent)")
        }
    }

    @Test(
        "EVT-9: without a header nothing is corrected",
        arguments: [
            nil, "", "soon", " 1000000000000", "1000000000000.5", "1e12", "9223372036854775808", "1000000000000, 1",
        ]
    )
    func silence(header: String?) {
        #expect(ClockOffset(header: header, now: Self.now)?.milliseconds == nil)
    }

    @Test(
        "EVT-9: a corrected time is later by the offset, never after the upload, and keeps its order",
        arguments: 0..<UInt64(4))
    func corrected(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let wrong = Int64.random(in: -200_000_000_000...200_000_000_000, using: &dice)
            guard abs(wrong) > 60_000 else { continue }
            let offset = try #require(ClockOffset(header: "\(Self.server - wrong)", now: Self.now))
            let moments = (0..<2).map { _ in Int64.random(in: 0...4_000_000_000_000, using: &dice) }.sorted()
            let dates = moments.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
            let corrected = dates.map { offset.corrected($0, now: Self.now) }
            for (date, corrected) in zip(dates, corrected) {
                #expect(corrected <= Self.now)
                let shifted = date.timeIntervalSince1970 + Double(wrong) / 1_000
                let expected = min(shifted, Self.now.timeIntervalSince1970)
                #expect(abs(corrected.timeIntervalSince1970 - expected) < 0.001)
            }
            #expect(corrected[0] <= corrected[1])
        }
    }

    @Test("EVT-9: the farthest dates that an event may have cause no error")
    func farDates() throws {
        let slow = try #require(ClockOffset(header: "946684800000", now: Self.now))
        let fast = try #require(ClockOffset(header: "253402300799999", now: Self.now))
        for seconds in [-62_135_596_800.0, 253_402_300_799] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(slow.corrected(date, now: Self.now) <= Self.now)
            #expect(fast.corrected(date, now: Self.now) <= Self.now)
        }
    }
}
