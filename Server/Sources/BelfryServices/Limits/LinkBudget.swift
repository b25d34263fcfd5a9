/// Who pays for the contacts and installations that a link makes (SEC-9). A link may name contacts without end, so the
/// device pays for those it makes, and its address as well; for one that shows nothing of itself the address alone pays,
/// or who knows an id could use up what the owner is granted.
package struct LinkBudget: Sendable {
    private let limits: RequestLimits
    private let payer: CallPayer
    private let newDeviceQuota: NewDeviceQuota?
    private let contact = CountedOnce()
    private let installation = CountedOnce()

    init(limits: RequestLimits, payer: CallPayer, newDeviceQuota: NewDeviceQuota?) {
        self.limits = limits
        self.payer = payer
        self.newDeviceQuota = newDeviceQuota
    }

    /// Asked before a device is made for somebody who has shown nothing. Without a count by address each id has a count of
    /// its own.
    func admitInstallation() throws(ServiceError) {
        if let newDeviceQuota { return try newDeviceQuota.admit() }
        try installation.once { () throws(ServiceError) in
            guard let counting = limits.counting,
                let wait = counting.installations.take(payer, now: limits.now())
            else { return }
            throw limits.limitError(
                "newInstallations",
                "A device may register as a new installation at most \(counting.rates.newInstallations.amount) times "
                    + "a minute.", wait
            )
        }
    }

    /// Asked before a contact is made; a call makes one at most, and is counted once.
    func admitContact() throws(ServiceError) {
        try contact.once { () throws(ServiceError) in try countContact() }
    }

    private func countContact() throws(ServiceError) {
        guard let counting = limits.counting else { return }
        let now = limits.now()
        let pays = payer.isShown || newDeviceQuota == nil
        if pays, let wait = counting.contactsOfDevices.take(payer, now: now) {
            let rule = "A device may create at most \(counting.rates.newContactsOfDevice.words("contacts"))."
            throw limits.limitError("newContacts", rule, wait)
        }
        guard let network = newDeviceQuota?.network, let wait = counting.contacts.take(network, now: now) else {
            return
        }
        if pays { counting.contactsOfDevices.putBack(payer) }
        let rule = "An address may create at most \(counting.rates.newContacts.words("contacts"))."
        throw limits.limitError("newContactsOfAddress", rule, wait)
    }
}

extension RequestLimits {
    /// Counts a contact that an installation makes by what it has registered. Its address is not known by then.
    func grantsContact(_ installation: ShownInstallation) -> Bool {
        counting?.contactsOfDevices.take(.installation(installation), now: now()) == nil
    }
}

extension CallPayer {
    fileprivate var isShown: Bool {
        if case .installation = self { true } else { false }
    }
}
