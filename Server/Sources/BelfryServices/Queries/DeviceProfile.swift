import BelfryModel
import BelfryStore

/// The stored data of one device.
package struct DeviceProfile: Sendable {
    /// The result of a registration, as the layers above use it.
    package typealias Registration = ProcessedRegistration

    package let device: DeviceRow
    package let contact: ContactRow?
    /// Whether the app has credentials for the push service of the device's token. Also true if the app has no
    /// credentials at all: such an app is still being set up, so only the device's own eligibility matters.
    package let hasCredentials: Bool
    package let badge: Badge
    /// The device's newest registration that was processed.
    package let registration: ProcessedRegistration?
    /// The other installations with the same id, newest first: an id is a name and proves nothing (WIRE-20).
    package let namesakes: [Installation]

    /// - Parameters:
    ///   - contact: the device's contact.
    ///   - services: the push services that the app has credentials for.
    init(
        _ device: DeviceRow, of contact: ContactRow?, services: Set<PushProvider>, lookup: AppLookup
    ) throws {
        let connection = lookup.connection
        self.device = device
        self.contact = contact
        hasCredentials = services.isEmpty || device.pushToken.map { services.contains($0.provider) } ?? false
        badge = try connection.badges.find(device: device.id)
        // Registrations of an installation that has ended may still be stored (SEC-10).
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

    /// Whether a push may be sent to the device now (REG-22). Missing credentials, which only an operator can add, are
    /// reported only if nothing else prevents the push.
    package var pushEligibility: Eligibility {
        let eligibility = consent.pushEligibility
        guard eligibility.isEligible, !hasCredentials else { return eligibility }
        return .ineligible(reason: DeliveryReason.noCredentials.rawValue)
    }
}
