import BelfryModel
import BelfryStore
import Foundation

/// Makes a row that of a new installation, because the former one has ended: an operator has revoked it, or the app was
/// re-installed and has taken its contact over (REG-23). The row then has no push token, no badge, and no revision that
/// is too high for new registrations. All that was issued to it before ends with its epoch: tokens, state and
/// references (SEC-10). A new installation has nothing of what the former one was sent.
///
/// Properties from before the first use of a link stay: a client whose first link was lost does not send them again.
///
/// It runs in the transaction of the revocation or of the takeover.
struct NewInstallation {
    let connection: any SQLConnection
    let now: Date

    /// Ends an installation and its link, and saves the device's row.
    ///
    /// - Parameters:
    ///   - cause: the cause that the person's timeline shows.
    ///   - heir: the installation that has taken the contact over, and gets the inbox; nil: none.
    func end(_ row: DeviceRow, because cause: ContactLinkCause = .revocation, heir: DeviceRow? = nil) throws {
        // Else the contact that it has left by a registration would not know that it had the device.
        try ContactWordSteps.settle(row.id, in: connection, now: now)
        var device = row
        try begin(in: &device, heir: heir)
        let former = device.contact
        if let former { try connection.formerDevices.insert(device.id, of: former, app: device.app) }
        device.contact = nil
        try connection.contactLinks.note(device.id, from: former, to: nil, cause: cause, at: now)
        device.updatedAt = now
        try connection.devices.save(device)
        // An heir has the contact, although its row is saved later.
        if let former, former != heir?.contact {
            try connection.orphanedContacts.deleteIfEmpty(former, app: device.app)
        }
    }

    private func begin(in device: inout DeviceRow, heir: DeviceRow?) throws {
        if device.confirmedGeneration > 0 { device.forgetWhatWasSaid(now: now) }
        try connection.refreshTokens.deleteAll(of: device.id)
        try connection.badges.reset(device: device.id)
        if let contact = device.contact {
            try connection.richConfirmations.forget(contact: contact, device: device.id)
        }
        // The inbox belonged to the former installation (MC-15). Data that is too much for this transaction is removed,
        // or goes to the heir, in the background.
        try connection.endedInstallations.end(device, heir: heir)
        device.epoch += 1
        device.linkGeneration += 1
        device.confirmedGeneration = device.linkGeneration
    }
}

extension DeviceRow {
    fileprivate mutating func forgetWhatWasSaid(now: Date) {
        pushToken = nil
        tokenAt = nil
        tokenOrder = PropertyOrder()
        pushEnabled = nil
        osPushEnabled = nil
        optOut = nil
        lastOpenedAt = nil
        v3 = nil
        revision = 0
        applied = nil
        // An order from the future would block the next one.
        propertiesOrder.milliseconds = min(propertiesOrder.milliseconds, now.milliseconds)
    }
}
