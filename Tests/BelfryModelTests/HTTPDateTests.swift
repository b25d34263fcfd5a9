import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct HTTPDateTests {
    @Test(
        "EVT-9, PUSH-4: a date in a header is read in the form of RFC 9110, with a day of one digit, too",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sun, 6 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sun,  6 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ] as [(String, TimeInterval)]
    )
    func forms(_ text: String, _ seconds: TimeInterval) {
        #expect(HTTPDate.date(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "EVT-9, SEC-6: what no calendar and no clock has, and any other form, is no date",
        arguments: [
            "", "     GMT", "Mon, 31 Feb 2025 16:01:30 GMT", "Thu, 29 Feb 2023 16:01:30 GMT",
            "Mon, 00 Nov 2025 16:01:30 GMT", "Mon, -1 Nov 2025 16:01:30 GMT", "Mon, 24 Nov 2025 24:00:00 GMT",
            "Mon, 24 Nov 2025 16:60:00 GMT", "Mon, 24 Nov 2025 16:01:61 GMT", "Mon, 24 Nov 2025 16:01:30.5 GMT",
            "Mon, 24 Nov 2025 16:01 GMT", "Mon, 24 Nov 2025 16:xx:01:30 GMT", "Mon, 24 Nov 2025 16:01:30",
            "Mon, 24 Nov 2025 16:01:30 +0000", "Mon, 24 Nix 2025 16:01:30 GMT", "Mon, 24 Nov 1969 16:01:30 GMT",
            "Mon, 24 Nov 10000 16:01:30 GMT", "Monday, 24-Nov-25 16:01:30 GMT", "Mon Nov 24 16:01:30 2025",
            "Mon, 24 No\u{301}v 2025 16:01:30 GMT", "Mon, 24 Nov 2025 16:01:30 GMT\u{600}",
            "Mon,             24 Nov 2025 16:01:30 GMT",
        ]
    )
    func noDates(_ text: String) {
        #expect(HTTPDate.date(text) == nil)
    }

    @Test("SEC-6: no text beside a date makes the reader stumble")
    func hostile() {
        for text in HostileTexts.around(["Sun, 06 Nov 1994 08:49:37 GMT"]) {
            guard let date = HTTPDate.date(text) else { continue }
            #expect((0...253_402_300_800).contains(date.timeIntervalSince1970), "\(text.debugDescription)")
        }
    }
}
