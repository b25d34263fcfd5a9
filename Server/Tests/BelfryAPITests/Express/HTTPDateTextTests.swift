import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryAPI

@Suite("The date of a response")
struct HTTPDateTextTests {
    @Test(
        "WIRE-23: it has the format of RFC 9110",
        arguments: [
            (784_111_777.0, "Sun, 06 Nov 1994 08:49:37 GMT"), (784_111_777.999, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (1_795_262_400, "Sat, 21 Nov 2026 12:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] as [(Double, String)]
    )
    func text(seconds: Double, expected: String) {
        #expect(HTTPDateText().text(Date(timeIntervalSince1970: seconds)) == expected)
    }

    @Test("WIRE-23: it follows the clock, forwards and back, and is written once a second", arguments: 0..<UInt64(4))
    func follows(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = HTTPDateText()
        var moment = Int64.random(in: 0...4_000_000_000_000, using: &dice)
        for _ in 0..<500 {
            let step: Int64 = Bool.random(using: &dice) ? 700 : 200_000_000_000
            moment = max(0, moment + Int64.random(in: -step...step, using: &dice))
            // The formatter rounds, a clock does not.
            let second = Date(timeIntervalSince1970: Double(moment / 1_000))
            #expect(date.text(Date(timeIntervalSince1970: Double(moment) / 1_000)) == format.string(from: second))
        }
    }
}
