import BelfryModel
import BelfryStore

/// What the store knows about one device.
package struct DeviceProfile: Sendable {
    /// What became of a registration, as the layers above hand it on.
    package typealias Registration = ProcessedRegistration

    package let device: DeviceRow
    package let contact: ContactRow?
    /// Whether the app has credentials for the push service of the device's token, or none at all: then it is still being
    /// set up, and only the device counts.
    package let hasCredentials: Bool
    package let badge: Badge
    /// The newest that was processed.
    package let registration: ProcessedRegistration?
    /// The other installations with its id, the newest first: an id is a name and no proof (WIRE-20).
    package let namesakes: [Installation]

    /// - Parameters:
    ///   - contact: the device's.
    ///   - services: the push services that the app has credentials for.
    init(
        _ device: DeviceRow, of contact: ContactRow?, services: Set<PushProvider>, lookup: AppLookup
    ) throws {
        let connection = lookup.connection
        self.device = device
        self.contact = contact
        hasCredentials = services.isEmpty || device.pushToken.map { services.contains($0.provider) } ?? false
        badge = try connection.badges.find(device: device.id)
        // What an installation that has ended had registered may still be there (SEC-10).
        let hasEnded = try device.contact == nil && connection.endedInstallations.contains(device.id)
        registration = try hasEnded ? nil : connection.registrations.newestProcessed(of: device.id)
        namesakes = try lookup.namesakes(of: device)
    }

    package var consent: DeviceConsent { device.consent }

    /// Whether the device gets in-app messages (REG-22): they belong to a contact, and need no token and no opt-in.
    package var inAppEligibility: Eligibility {
        guard contact != nil else { return .ineligible(reason: DeliveryReason.noContact.rawValue) }
        return consent.inAppEligibility
    }

    /// Whether a push may be sent now (REG-22). What only the operator can mend is told when nothing else is in the way.
    package var pushEligibility: Eligibility {
        let eligibility = consent.pushEligibility
        guard eligibility.isEligible, !hasCredentials else { return eligibility }
        return .ineligible(reason: DeliveryReason.noCredentials.rawValue)
    }
}
