import BelfryCampaigns
import BelfryTestSupport
import Foundation
import Testing

struct RecipientZoneTests {
    @Test(
        "CAMP-5: the device's zone, else its offset, else the app's zone, and the ledger says which",
        arguments: [
            ("Europe/Paris", .device, "Europe/Paris, the device's zone"),
            ("America/Argentina/Buenos_Aires", .device, "America/Argentina/Buenos_Aires, the device's zone"),
            ("+02:00", .deviceOffset, "+02:00, the device's offset, because it has no zone"),
            ("-0330", .deviceOffset, "-03:30, the device's offset, because it has no zone"),
            ("+14", .deviceOffset, "+14:00, the device's offset, because it has no zone"),
            ("GMT+0200", .deviceOffset, "+02:00, the device's offset, because it has no zone"),
            ("UTC-12:00", .deviceOffset, "-12:00, the device's offset, because it has no zone"),
            (nil, .app, "Asia/Tokyo, the app's zone, because the device has none"),
            ("", .app, "Asia/Tokyo, the app's zone, because the device has none"),
            ("CST", .app, "Asia/Tokyo, the app's zone, because the device has none"),
            ("Mars/Phobos", .app, "Asia/Tokyo, the app's zone, because the device has none"),
            ("+15:00", .app, "Asia/Tokyo, the app's zone, because the device has none"),
            ("+02:60", .app, "Asia/Tokyo, the app's zone, because the device has none"),
            ("+٠٢:٠٠", .app, "Asia/Tokyo, the app's zone, because the device has none"),
            ("GMT+01:Z0", .app, "Asia/Tokyo, the app's zone, because the device has none"),
            ("GMT+1", .deviceOffset, "+01:00, the device's offset, because it has no zone"),
        ] as [(String?, RecipientZone.Source, String)]
    )
    func sources(device: String?, source: RecipientZone.Source, note: String) {
        let zone = RecipientZone(device: device, app: "Asia/Tokyo")
        #expect(zone.source == source)
        #expect(zone.note == note)
    }

    @Test("SEC-6, CAMP-5: whatever zones a device and an app have, there is a clock")
    func hostile() {
        for text in HostileTexts.around(["GMT+01:30", "UTC-1.30", "+0530", "Europe/Paris", "Z"]) {
            let zone = RecipientZone(device: text, app: text)
            #expect(zone.clock(at: date("2026-01-01T00:00:00Z")).utf8.count == 19)
        }
    }

    @Test("CAMP-5: UTC is a zone, and an app's zone that the system does not know is UTC")
    func utc() {
        #expect(RecipientZone(device: "UTC", app: "Asia/Tokyo").source == .device)
        #expect(RecipientZone(device: "Z", app: "Asia/Tokyo").timeZone.secondsFromGMT() == 0)
        let unknown = RecipientZone(device: nil, app: "Mars/Phobos")
        #expect(unknown.source == .app && unknown.timeZone.secondsFromGMT() == 0)
        #expect(
            RecipientZone(device: "+0530", app: "UTC").clock(at: date("2026-01-01T00:00:00Z")) == "2026-01-01T05:30:00")
    }
}
