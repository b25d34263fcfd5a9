import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation

/// Devices that are dead (FLEET-2).
extension ServiceWorld {
    /// The app's dead devices stay among those that live: its term is longer than any test lasts.
    func holdDormancy() async throws {
        var settings = app.settings
        settings.dormantAfterDays = SettingsCheck.dormancyDays.upperBound
        try await save(settings)
    }

    /// Lets days pass, and the upkeep look.
    func pass(days: Double) async {
        clock.advance(by: days * 86_400)
        await housekeeping.tidy()
    }

    /// Makes all installations with a device's id dormant at once, however much they live.
    func putAway(_ device: ServiceDevice) async throws {
        let (app, client) = (app.id, device.client)
        try await database.write { connection in
            let numbers = try connection.devices.numbers(app: app, client: client)
            try connection.dormantDevices.take(numbers, app: app)
        }
    }

    /// The ids of those that are dormant, in the order of their numbers.
    func dormantClients() async throws -> [String] {
        try await database.read { connection in
            try connection.query("SELECT client_id FROM dormant_devices ORDER BY id", []) { $0.text(0) }
        }
    }

    /// How many devices live, are dormant, and are in the app's audience.
    func deviceCounts() async throws -> [Int] {
        [try await rows("devices"), try await rows("dormant_devices"), try await rows("audience_\(app.id)")]
    }
}
