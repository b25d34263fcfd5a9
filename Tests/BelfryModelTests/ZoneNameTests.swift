import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

@Suite("Names of time zones")
struct ZoneNameTests {
    /// Words that Foundation reads by a rule of its own, and some that a system might look for in its files.
    static let words = [
        "GMT", "UTC", "GMT+1", "GMT-01", "GMT+0130", "GMT+01:30", "UTC+01:30", "UTC-1.30", "+01:00", "-0330", "+14",
        "Z",
        "Europe/Paris", "EST5EDT", "Etc/GMT+5", "CST", "GMT0",
    ]

    @Test("SEC-6: a zone is read, and an offset is distinguished from a name")
    func zones() {
        let offsets = [
            "+01:00": 3_600, "+0100": 3_600, "+01": 3_600, "-0330": -12_600, "+14": 50_400, "GMT+1": 3_600,
            "GMT-12": -43_200,
            "GMT+01:30": 5_400, "GMT+0130": 5_400, "GMT+1:30": 5_400, "GMT+1.30": 5_400, "UTC+01:30": 5_400,
            "GMT+18": 64_800,
            "GMT+0": 0, "+00:00": 0, "-18:00": -64_800,
        ]
        for (text, seconds) in offsets {
            let zone = ZoneName(text)
            #expect(zone?.offset == seconds && zone?.timeZone.secondsFromGMT() == seconds, "\(text)")
            #expect(zone?.namesOneZone == false && zone?.text == text)
        }
        for text in [
            "Europe/Paris", "America/Argentina/Buenos_Aires", "America/Port-au-Prince", "Etc/GMT+5", "Etc/GMT-14",
            "UTC",
            "GMT", "Z",
        ] {
            #expect(ZoneName(text)?.offset == nil && ZoneName(text)?.namesOneZone == true, "\(text)")
        }
        for text in ["CST", "EST5EDT", "CET", "GMT0", "UCT", "Zulu"] {
            #expect(ZoneName(text)?.offset == nil && ZoneName(text)?.namesOneZone == false, "\(text)")
        }
        #expect(ZoneName("Etc/GMT+5")?.timeZone.secondsFromGMT() == -18_000)
    }

    @Test("SEC-6: every name that the system lists is read as the same zone")
    func known() throws {
        for name in TimeZone.knownTimeZoneIdentifiers {
            let zone = try #require(ZoneName(name), "\(name)")
            #expect(zone.timeZone.secondsFromGMT() == TimeZone(identifier: name)?.secondsFromGMT(), "\(name)")
        }
    }

    @Test(
        "SEC-6: an invalid zone is nil",
        arguments: [
            "", " ", "GMT+01:Z0", "UTC+01:Z0", "GMT+Z", "GMT+", "GMT-", "GMT+19", "GMT+18:01", "GMT+130", "GMT+1:3",
            "GMT+01:60",
            "GMT+12:34:56", "gmt+1", "Gmt+01:30", "UTCx", "GMT/Paris", "+", "-", "+1:0", "+001:00", "+02:60", "+9900",
            "+٠٢:٠٠",
            "Mars/Phobos", "../../etc/passwd", "/etc/passwd", "Europe/Paris/", "Europe//Paris",
            "Europe/../Europe/Paris",
            " Europe/Paris", "Europe/Paris\u{301}", "\u{600}UTC", "Europe/Par\u{0}is",
            "A/" + String(repeating: "b", count: 63),
        ]
    )
    func rejected(text: String) {
        #expect(ZoneName(text) == nil)
    }

    @Test("SEC-6: no short text of the grammar's letters crashes the parser")
    func everyShortText() {
        // All characters of an offset, after each beginning; `GMT+00:Z0` is among them.
        let offsets = HostileTexts.all(of: "+0Z:", upTo: 6) + HostileTexts.all(of: "+-19Z:.", upTo: 4)
        for beginning in ["", "GMT", "UTC"] {
            for text in offsets {
                guard let zone = ZoneName(beginning + text) else { continue }
                #expect(abs(zone.timeZone.secondsFromGMT()) <= ZoneName.maximumOffset)
            }
        }
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/:"
        let read = HostileTexts.all(of: letters, upTo: 2).count { ZoneName($0) != nil }
        #expect(read >= 21, "the offsets of one digit and Z")
        // All names of three letters that begin like existing ones.
        for first in "CEGHIMNPRUWZ+-" {
            for rest in HostileTexts.all(of: letters, upTo: 2) {
                guard let zone = ZoneName("\(first)\(rest)") else { continue }
                #expect(abs(zone.timeZone.secondsFromGMT()) <= 86_400)
            }
        }
    }

    @Test("SEC-6: nothing hidden between the letters of a zone crashes the parser, and little of it is a zone")
    func hostile() {
        for text in HostileTexts.around(Self.words) {
            guard let zone = ZoneName(text) else { continue }
            #expect(zone.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "\(text.debugDescription)")
            #expect(abs(zone.timeZone.secondsFromGMT()) <= ZoneName.maximumOffset)
        }
    }
}
