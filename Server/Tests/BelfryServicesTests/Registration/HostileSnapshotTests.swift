import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// SEC-6: what is in the database came from outside once, and may have come before it was held to a grammar.
@Suite("Hostile text in stored rows")
struct HostileSnapshotTests {
    private static let hostileZones = ["GMT+01:Z0", "UTC+01:Z0", "GMT+0\u{301}1:30", "\u{600}UTC", "GMT+٠١:٣٠"]

    @Test("SEC-6, REG-25, REG-26: an invalid zone is a rejected field of its row, and the others are applied")
    func zones() async throws {
        let world = try await ServiceWorld()
        var waiting: [(device: ServiceDevice, id: String, zone: String?)] = []
        let zones: [String?] = [nil] + Self.hostileZones.map(Optional.some) + ["Europe/Paris", nil]
        for (index, zone) in zones.enumerated() {
            var device = try await ServiceDevice.started(world, index + 1)
            let receipt = try await device.register {
                $0.timeZone = zone
                $0.locale = "fr_FR"
            }
            waiting.append((device, receipt.registrationID, zone))
        }
        try await world.process()
        for (device, id, zone) in waiting {
            let receipt = try await world.registrations.receipt(id, caller: try device.authenticated()).value
            let isHostile = zone.map { Self.hostileZones.contains($0) } ?? false
            #expect(receipt.status == (isHostile ? .partlyRejected : .processed), "\(zone ?? "none")")
            #expect(receipt.rejected.map(\.field) == (isHostile ? ["timeZone"] : []))
            #expect(receipt.rejected.allSatisfy { $0.reason == "unknownTimeZone" })
            let system = try await world.profile(device).device.system
            #expect(system == SystemProperties(timeZone: isHostile ? nil : zone, locale: "fr_FR"))
        }
    }

    @Test(
        "SEC-6, REG-20: a row with invalid JSON ends alone",
        arguments: [
            "", "{", "\u{feff}", "[1e999]", "\"\u{600}", String(repeating: "[", count: 20_000),
            String(repeating: #"{"attributes":"#, count: 65) + "1" + String(repeating: "}", count: 65),
            #"{"revision":"# + String(repeating: "9", count: 2_000) + "}",
        ])
    func malformed(text: String) async throws {
        let world = try await ServiceWorld()
        var ids: [(device: ServiceDevice, id: String)] = []
        for number in 1...3 {
            var device = try await ServiceDevice.started(world, number)
            ids.append((device, try await device.register().registrationID))
        }
        let bad = ids[1].id
        _ = try await world.database.write {
            try $0.execute(
                "UPDATE registrations SET snapshot = ? WHERE registration_id = ?", [.text(text), .text(bad)])
        }
        try await world.process()
        var ends: [String] = []
        for (device, id) in ids {
            let receipt = try await world.registrations.receipt(id, caller: try device.authenticated()).value
            ends.append(receipt.status.rawValue)
        }
        #expect(ends == ["processed", "partlyRejected", "processed"])
    }

    @Test("SEC-6, CAMP-5: a device's invalid stored zone means the app's, and the campaign reaches everybody")
    func storedZone() async throws {
        let world = try await ServiceWorld()
        var devices: [ServiceDevice] = []
        for (index, zone) in (["Asia/Tokyo"] + Self.hostileZones).enumerated() {
            let device = try await ServiceDevice.registered(world, index + 1, token: "token\(index)")
            _ = try await world.database.write {
                try $0.execute(
                    "UPDATE devices SET time_zone = ? WHERE app_id = ? AND client_id = ?",
                    [.text(zone), .integer(world.app.id), .text(device.client.rawValue)]
                )
            }
            devices.append(device)
        }
        let local = try #require(LocalDateTime("2026-11-22T09:00:00"))
        let id = try await world.launch(schedule: CampaignSchedule(localAt: local))
        try await world.sendToTheEnd()
        for device in devices { #expect(try await world.outcome(id, device) == "accepted") }
    }

    @Test("SEC-6, ADM-2: an app's invalid stored zone means UTC", arguments: hostileZones)
    func storedSetting(zone: String) throws {
        let stored = #"{"timeZone":"\#(zone)"}"#
        let settings = try JSONText.decode(AppSettings.self, stored)
        #expect(settings.timeZoneName == zone)
        #expect(settings.zone.secondsFromGMT() == 0)
    }
}
